/** File types in the specification, by extension. For all other files the declared type counts. */

const named: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
  csv: 'text/csv',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  zip: 'application/zip',
  tar: 'application/x-tar',
  gz: 'application/gzip',
}

/** Extensions of the named types, for messages. */
export const namedEndings: readonly string[] = Object.keys(named)

export function isNamedType(name: string): boolean {
  return Object.hasOwn(named, getExtension(name))
}

/**
 * Uses the extension for named types, so that a wrong declared type doesn't matter. Falls back to plain bytes for an
 * invalid type.
 */
export function detectType(name: string, declared: string): string {
  const ending = getExtension(name)
  if (Object.hasOwn(named, ending)) return named[ending] ?? ''
  const type = declared.toLowerCase()
  return /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,99}$/.test(type) ? type : 'application/octet-stream'
}

/**
 * Checks whether a browser may display a file instead of downloading it. Only types that cannot run code are on the
 * list; HTML, SVG, XML and scripts are always downloaded.
 */
export function isInert(type: string): boolean {
  return inert.has(type)
}

/**
 * Returns the type for a file sent as a download. Changes script and disguised markup types: pages can load scripts
 * even from attachments, and some browsers read `audio/svg+xml` by its extension.
 */
export function downloadType(type: string): string {
  return script.test(type) || disguisedMarkup.test(type) ? 'application/octet-stream' : type
}

const script = /\/(?:x-)?(?:java|ecma|j|live|vb|type)script/
const disguisedMarkup = /^(?:audio|video|font|model)\/(?:.*[.+-])?(?:x?html|svg|xml)(?:$|[.+-])/

const media = [
  ...[
    'mpeg',
    'mp4',
    'ogg',
    'webm',
    'wav',
    'x-wav',
    'wave',
    'vnd.wave',
    'aac',
    'aacp',
    'flac',
    'x-flac',
    'opus',
    'mp3',
    'aiff',
    'x-aiff',
  ],
  ...[
    'x-m4a',
    'm4a',
    'x-m4v',
    'quicktime',
    '3gpp',
    '3gpp2',
    'x-matroska',
    'x-msvideo',
    'mp2t',
    'basic',
    'midi',
    'x-midi',
    'av1',
    'h264',
  ],
]

const inert = new Set([
  ...['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/bmp'],
  ...['application/pdf', 'text/plain', 'text/csv', 'application/json'],
  ...['audio', 'video'].flatMap((kind) => media.map((name) => `${kind}/${name}`)),
])

function getExtension(name: string): string {
  return /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}
