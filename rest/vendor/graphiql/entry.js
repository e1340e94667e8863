import 'graphiql/graphiql.css';

export { GraphiQL } from 'graphiql';
export { buildClientSchema } from 'graphql';
export { createElement } from 'react';
export { createRoot } from 'react-dom/client';
