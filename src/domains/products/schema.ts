import { builder } from '../../graph/builder.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../../graph/pages.ts';
import { createProduct } from './create-product.ts';
import { CreateProductInput, ProductFilters } from './inputs.ts';
import { listProducts } from './list-products.ts';
import { readProduct } from './read-product.ts';
import { Product } from './types.ts';

const ProductPage = pageType('ProductPage', Product, 'products');
const ProductSort = sortInput('ProductSort', ['createdAt', 'name']);

builder.queryFields((t) => ({
  product: t.withAuth({ key: true }).field({
    type: Product,
    description: 'Returns a product with its prices. 404 if the product is not visible to the API key.',
    args: { productId: t.arg.id({ required: true, description: 'The product to return, prefix `prod_`.' }) },
    resolve: (_root, { productId }, context) => readProduct(context, productId),
  }),
  products: t.withAuth({ key: true }).field({
    type: ProductPage,
    description:
      'Returns a page of the products visible to the API key, with their prices: those of the account of a sub-key, ' +
      'or of all accounts of the partner in the mode of a partner key. The newest come first by default.',
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: ProductSort, description: 'The sort order. Defaults to `createdAt`, descending.' }),
      filters: t.arg({ type: ProductFilters, description: 'The filters to apply. All products if left out.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listProducts(context, args),
  }),
}));

builder.mutationField('createProduct', (t) =>
  t.withAuth({ key: true }).field({
    type: Product,
    description: 'Creates a product with its prices in a store.',
    args: { input: t.arg({ type: CreateProductInput, required: true, description: 'The product to create.' }) },
    resolve: (_root, { input }, context) => createProduct(context, input),
  }),
);
