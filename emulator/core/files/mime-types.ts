/** The types that the specification names, by the endings of names. Everything else is what its sender says it is. */

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

/** Endings of the named types, for people to read. */
export const namedEndings: readonly string[] = Object.keys(named)

export function isNamedType(name: string): boolean {
  return Object.hasOwn(named, endingOf(name))
}

/** The ending decides for named types, so that a sender's mistake does not; what is not a type at all is just bytes. */
export function typeOf(name: string, declared: string): string {
  const ending = endingOf(name)
  if (Object.hasOwn(named, ending)) return named[ending] ?? ''
  const type = declared.toLowerCase()
  return /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,99}$/.test(type) ? type : 'application/octet-stream'
}

/**
 * Whether a browser may show a file rather than keep it: what is on the list runs nothing. Everything else is kept, HTML,
 * SVG, XML and scripts among it.
 */
export function isInert(type: string): boolean {
  return inert.has(type)
}

/**
 * The type that a file which is not shown is sent with. A script runs in a page that loads it, attachment or not, and some browsers
 * read `audio/svg+xml` by its ending.
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

function endingOf(name: string): string {
  return /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}
