// The health check of the image: exits with 0 if the server in this container is ready for calls.
const port = process.env.PORT || '4000';
const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
// The container engine stores the output and shows why the container is not healthy.
if (answer) console.log(await answer.text());
process.exit(answer?.status === 200 ? 0 : 1);
