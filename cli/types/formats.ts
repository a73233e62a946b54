/** What texts may be, beside text: recognised by their form alone. */
import { isId } from '../../client/protocol/model/document.js'
import { isDateTime } from '../../client/protocol/model/schema.js'

/** In the order in which they are tried. */
const formats = {
  id: isId,
  date: (text) => text.length === 10 && isDateTime(text),
  'date-time': (text) => /T\d{2}:\d{2}:\d{2}/.test(text) && /(Z|[+-]\d{2}:\d{2})$/.test(text) && isDateTime(text),
  /** Days among points in time. */
  datetime: isDateTime,
  file: (text) => storedFile.test(text) && URL.canParse(text),
  url: (text) => /^https?:\/\/[^\s/]/.test(text) && !storedFile.test(text) && URL.canParse(text),
  email: (text) => email.test(text),
} as const satisfies { readonly [format: string]: (text: string) => boolean }

export type TextFormat = keyof typeof formats

const names = Object.keys(formats) as TextFormat[]

/** The address of a stored file: its id, and its name. */
const storedFile = /^https?:\/\/[^\s/]+\/(\S*\/)?files\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\//
/** Narrower than the standard: what every validator takes. */
const email = /^[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/

/** Longer texts are none of these. */
const longest = 2_048

export function formatOf(text: string): TextFormat | undefined {
  return names.find((name) => isOfFormat(name, text))
}

/** What texts of that format and this text have in common; undefined where it is their being texts alone. */
export function commonFormat(format: TextFormat, text: string): TextFormat | undefined {
  if (isOfFormat(format, text)) return format
  const areTimes = (format === 'date' || format === 'date-time') && isOfFormat('datetime', text)
  return areTimes ? 'datetime' : undefined
}

function isOfFormat(format: TextFormat, text: string): boolean {
  return text.length <= longest && formats[format](text)
}
