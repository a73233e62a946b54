/** What browsers say of files by the endings of their names. Endings that the specification names are the service's to decide. */
const types: Readonly<Record<string, string>> = {
  aac: 'audio/aac',
  avif: 'image/avif',
  bmp: 'image/bmp',
  css: 'text/css',
  flac: 'audio/flac',
  html: 'text/html',
  ico: 'image/x-icon',
  js: 'text/javascript',
  json: 'application/json',
  m4a: 'audio/mp4',
  md: 'text/markdown',
  mjs: 'text/javascript',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wasm: 'application/wasm',
  wav: 'audio/wav',
  woff: 'font/woff',
  woff2: 'font/woff2',
  xml: 'text/xml',
}

/** Empty where the name does not tell. */
export function typeByEnding(name: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(types, ending) ? (types[ending] ?? '') : ''
}
