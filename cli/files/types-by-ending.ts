/** Maps file extensions to the types that browsers use. The service decides those named in the specification. */
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

/** Empty if the extension is unknown. */
export function typeByEnding(name: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(types, ending) ? (types[ending] ?? '') : ''
}
