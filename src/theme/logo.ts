import { createHash } from 'node:crypto';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';

const logoBounds = { bytes: 32_768, pixelsMin: 16, pixelsMax: 2_048 } as const;

/** The address of a logo on this server. It contains the hash of the content, which therefore never changes. */
export interface LogoAddress {
  /** From the root of the server, without the leading slash. */
  path: string;
  width: number;
  height: number;
}

export interface LogoImage {
  /** The last part of the address. */
  file: string;
  content: Buffer;
}

/**
 * The accepted types, detected by content. Pages cannot run any of them; SVG, which can contain scripts, is excluded.
 */
const types = [
  { contentType: 'image/png', extension: 'png', format: PNG },
  { contentType: 'image/jpeg', extension: 'jpg', format: JPG },
  { contentType: 'image/webp', extension: 'webp', format: WEBP },
] as const;

const dataUrl = /^data:(image\/[a-z+.-]{1,40});base64,([A-Za-z0-9+/]+={0,2})$/;
const logoFile = /^[0-9a-f]{64}-(\d{2,4})x(\d{2,4})\.(png|jpg|webp)$/;
const root = 'brand/';
/** The length of the largest image in base64, with room for the type. */
const dataUrlLengthMax = Math.ceil(logoBounds.bytes / 3) * 4 + 100;

/** The image of a data URL, or what is wrong with it. */
export function readLogo(given: unknown): LogoImage | { problem: string } {
  if (typeof given === 'string' && given.length > dataUrlLengthMax) return { problem: problems.large };
  const [, declared, base64] = (typeof given === 'string' ? dataUrl.exec(given) : null) ?? [];
  if (declared === undefined || base64 === undefined) return { problem: problems.form };
  const content = Buffer.from(base64, 'base64');
  if (content.length > logoBounds.bytes) return { problem: problems.large };
  const type = types.find(({ format }) => format.validate(content));
  if (type?.contentType !== declared)
    return { problem: type ? `is declared as ${declared} and contains ${type.contentType}` : problems.form };
  const size = sizeOf(type.format, content);
  if (size === null) return { problem: 'has a header from which its size cannot be read' };
  const { pixelsMin, pixelsMax } = logoBounds;
  if (Object.values(size).some((side) => side < pixelsMin || side > pixelsMax))
    return {
      problem: `must be ${pixelsMin} to ${pixelsMax} pixels wide and high; it is ${size.width} × ${size.height}`,
    };
  const hash = createHash('sha256').update(content).digest('hex');
  return { file: `${hash}-${size.width}x${size.height}.${type.extension}`, content };
}

const problems = {
  form: 'must be a PNG, JPEG or WebP image as a data URL, such as data:image/png;base64,…',
  large: `must have at most ${logoBounds.bytes} bytes`,
} as const;

function sizeOf(format: (typeof types)[number]['format'], content: Buffer): { width: number; height: number } | null {
  try {
    const { width, height } = format.calculate(content);
    return { width, height };
  } catch {
    // The header is incomplete, or contradicts itself.
    return null;
  }
}

export function logoPath({ file }: Pick<LogoImage, 'file'>): string {
  return `/${root}${file}`;
}

/** The address that a branding contains. Undefined for anything else. */
export function logoAddress(value: unknown): LogoAddress | undefined {
  if (typeof value !== 'string' || !value.startsWith(`/${root}`)) return undefined;
  const [, width, height] = logoFile.exec(value.slice(root.length + 1)) ?? [];
  return width === undefined ? undefined : { path: value.slice(1), width: Number(width), height: Number(height) };
}

/** The content type of a file name. Undefined if no logo has it. */
export function logoTypeOf(file: string): string | undefined {
  const extension = logoFile.exec(file)?.[3];
  return types.find((type) => type.extension === extension)?.contentType;
}
