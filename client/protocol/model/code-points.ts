/** Compares by code point, because `<` compares UTF-16 code units. */
export function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (a !== b) return Number(isSurrogate(a)) - Number(isSurrogate(b)) || a - b
  }
  return one.length - other.length
}

/** Whether a code unit is half of a code point above U+FFFF. */
function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}
