import { createHash } from 'node:crypto';
import { issuesMax } from '../../graph/input.ts';
import type { InputIssue } from '../../kit/errors.ts';
import { contentTypeList, contentTypeOf, contentTypes } from './content-types.ts';
import { isTraversal } from './manifest.ts';

/** A file of a request. */
interface InlineAsset {
  path: string;
  content: string;
  contentType?: string | null | undefined;
}

/** A file to be stored. */
export interface Asset {
  path: string;
  contentType: string;
  size: number;
  sha256: string;
  content: Buffer;
}

export const assetsMax = 300;
const pathLengthMax = 200;
/** The addresses in a page are rewritten, which makes it up to five times as large. */
const htmlBytesMax = 384 * 1024;

/** Returns the files of a request, or the issues of them. */
export function readAssets(sent: readonly InlineAsset[]): { assets: Asset[]; issues: InputIssue[] } {
  if (sent.length > assetsMax)
    return { assets: [], issues: [{ path: 'inlineAssets', message: `must have at most ${assetsMax} entries` }] };
  const issues: InputIssue[] = [];
  const assets = new Map<string, Asset>();
  for (const [index, inline] of sent.entries()) {
    const asset = readAsset(inline, assets);
    if ('message' in asset) issues.push({ path: `inlineAssets[${index}].${asset.field}`, message: asset.message });
    else assets.set(asset.path, asset);
  }
  return { assets: [...assets.values()], issues: issues.slice(0, issuesMax) };
}

interface AssetIssue {
  field: keyof InlineAsset;
  message: string;
}

function readAsset(
  { path: given, content, contentType }: InlineAsset,
  others: ReadonlyMap<string, Asset>,
): Asset | AssetIssue {
  const path = given.replace(/^\.?\//, '');
  if (path.length > pathLengthMax || !/^[A-Za-z0-9._~@+-]+(\/[A-Za-z0-9._~@+-]+)*$/.test(path) || isTraversal(path))
    return { field: 'path', message: pathMessage };
  if (others.has(path)) return { field: 'path', message: 'is the path of another asset, too' };
  const type = contentTypeOf(path, contentType);
  if (type === undefined) return { field: 'contentType', message: contentTypeMessage };
  if (content.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(content))
    return { field: 'content', message: 'must be base64 of the standard alphabet, padded' };
  const bytes = Buffer.from(content, 'base64');
  if (type === 'text/html' && bytes.length > htmlBytesMax)
    return { field: 'content', message: `must be at most ${htmlBytesMax} bytes of HTML` };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path, contentType: type, size: bytes.length, sha256, content: bytes };
}

const pathMessage =
  `must be a relative path of at most ${pathLengthMax} characters of A-Z, a-z, 0-9, ".", "_", "~", "@", "+" and "-" ` +
  'between slashes, without "." or ".." as a part';

const extensions = Object.keys(contentTypes).map((extension) => `.${extension}`);

const contentTypeMessage =
  `must be one of ${contentTypeList.join(', ')}, ` +
  `or left out where the name ends in one of ${extensions.join(', ')}`;
