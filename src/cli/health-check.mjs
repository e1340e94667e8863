// The health check of the image: ends with 0 while the server in this container is ready for calls.
const port = process.env.PORT || '4000';
const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
// Kept by the container engine, which shows why the container is not healthy.
if (answer) console.log(await answer.text());
process.exit(answer?.status === 200 ? 0 : 1);
