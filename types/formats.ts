/** Recognizes the format of a text from its syntax. */

import { isDateTime } from '../client/protocol/model/dates.js'
import { isId } from '../client/protocol/model/document.js'

/** Tried in this order. */
const formats = {
  id: isId,
  date: (text) => text.length === 10 && isDateTime(text),
  'date-time': (text) => /T\d{2}:\d{2}:\d{2}/.test(text) && /(Z|[+-]\d{2}:\d{2})$/.test(text) && isDateTime(text),
  /** A mix of days and points in time. */
  datetime: isDateTime,
  file: (text) => storedFile.test(text) && URL.canParse(text),
  url: (text) => /^https?:\/\/[^\s/]/.test(text) && !storedFile.test(text) && URL.canParse(text),
  email: (text) => email.test(text),
} as const satisfies { readonly [format: string]: (text: string) => boolean }

export type TextFormat = keyof typeof formats

const names = Object.keys(formats) as TextFormat[]

/** The URL of a stored file, which contains its id and name. */
const storedFile = /^https?:\/\/[^\s/]+\/(\S*\/)?files\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\//
/** Stricter than the standard, so that every validator accepts it. */
const email = /^[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/

/** Longer texts have no format. */
const maxLength = 2_048

export function detectFormat(text: string): TextFormat | undefined {
  return names.find((name) => isOfFormat(name, text))
}

/** Returns the format that covers both. Undefined if they share none. */
export function commonFormat(format: TextFormat, text: string): TextFormat | undefined {
  if (isOfFormat(format, text)) return format
  const areTimes = (format === 'date' || format === 'date-time') && isOfFormat('datetime', text)
  return areTimes ? 'datetime' : undefined
}

function isOfFormat(format: TextFormat, text: string): boolean {
  return text.length <= maxLength && formats[format](text)
}
