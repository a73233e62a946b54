/** Measures and cuts text in terminal columns. */
const plain = /^[\x20-\x7e]*$/
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/
// © and ✔ take one column, unless a variation selector turns them into emoji.
const emoji = /\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}/u
const widePlanes = /[\u{20000}-\u{3fffd}]/u

export function textWidth(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const { segment } of segments(text)) width += segmentWidth(segment)
  return width
}

/** Cuts text to a width, with an ellipsis. */
export function cut(text: string, maxColumns: number): string {
  if (text.length <= maxColumns && plain.test(text)) return text
  if (textWidth(text) <= maxColumns) return text
  let kept = ''
  let width = 0
  for (const { segment } of segments(text)) {
    width += segmentWidth(segment)
    if (width > maxColumns - 1) break
    kept += segment
  }
  return `${kept}…`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal.
const control = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes that Chalk writes.
const colour = /(\u001b\[[\d;]*m)/

/** Escapes characters that would control the terminal. Contract 12.5. */
export function printable(text: string): string {
  return text.replace(control, (character) => {
    if (character === '\n') return '↵'
    if (character === '\t') return ' '
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Escapes text of several lines. JSON keeps its meaning. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join('\n')
}

/** Escapes text that contains our colours. Text from a service must be escaped before it is coloured. */
export function printableColoured(text: string): string {
  // Odd pieces are colours.
  return text
    .split(colour)
    .map((piece, at) => (at % 2 === 1 ? piece : printableLines(piece)))
    .join('')
}

/** Formats JSON that is safe to print at a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  return printableLines(JSON.stringify(value, null, indent) ?? '')
}

let segmenter: Intl.Segmenter | undefined

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

function segmentWidth(segment: string): number {
  if (/^\p{Mark}+$/u.test(segment)) return 0
  if (emoji.test(segment) || wide.test(segment) || widePlanes.test(segment)) return 2
  return 1
}
