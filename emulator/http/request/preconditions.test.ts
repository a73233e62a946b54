import { describe, expect, it } from 'vitest'
import { hasVersion, readGuard } from './preconditions.js'

describe('if-match', () => {
  it.each([
    [undefined, 'any'],
    ['*', 'any'],
    ['"3"', [3]],
    ['"3", W/"5"', [3, 5]],
    ['3', []],
    ['"0"', []],
    ['', []],
    ['"abc", "7"', [7]],
  ])('%s names the versions %j', (header, versions) => {
    expect(readGuard(header)).toEqual(versions)
  })
})

describe('if-none-match', () => {
  it.each([
    ['"1"', true],
    ['W/"1"', true],
    ['"7", "1"', true],
    ['*', true],
    ['"2"', false],
    [undefined, false],
  ])('%s has version 1 already: %s', (header, isThere) => {
    expect(hasVersion(header, '"1"')).toBe(isThere)
  })
})
