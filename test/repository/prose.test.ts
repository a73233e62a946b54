/** Keeps comments, messages and guides in plain English. */
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { read, root } from '../fixtures/packages/imports.js'
import { commentsIn, sentencesIn } from '../fixtures/packages/prose.js'

/** Openings of sentences that are built around a relative clause instead of a verb. */
const openings = /^(?:What|Who|Whose|Whoever|Of|Where)\b/
const words = /(?<!\bthere )\b(?:is|are) no\b(?! longer)|\b(?:whoever|somebody|anew|any more|as well)\b/i

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const code = files.filter((file) =>
  /^(client|emulator|seeds|types|cli|dashboard|scripts|bench)\/.*\.(ts|tsx|js)$/.test(file),
)
const pages = files.filter((file) => /^(README|CONTRIBUTING|CHANGELOG|docs\/(?!reference\/).*)\.md$/.test(file))
const guides = pages.filter((file) => /^(README|docs\/guides\/.*)\.md$/.test(file))

describe('Code', () => {
  test('opens comments with a verb or a reason', () => {
    const found = code.flatMap((file) =>
      commentsIn(read(file))
        .filter(({ text }) => openings.test(text))
        .map(({ line, text }) => `${file}:${line} ${text}`),
    )

    expect(found).toEqual([])
  })

  test('has none of the phrases that read like a translation', () => {
    const found = code.flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, at) => (words.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
    )

    expect(found).toEqual([])
  })

  test('names functions by what they do, not by what they are of', () => {
    const names = code.flatMap((file) =>
      [...read(file).matchAll(/\bfunction (\w+)|\bconst (\w+) = (?:async )?\(/g)].map(([, one, other]) => one ?? other),
    )

    expect(names.filter((name) => /[a-z]Of$/.test(name ?? '')).length / names.length).toBeLessThan(0.02)
  })
})

describe('Pages', () => {
  test.each(pages)('%s has short sentences that begin with their subject or verb', (page) => {
    const sentences = sentencesIn(read(page))

    expect(sentences.filter((sentence) => openings.test(sentence) || words.test(sentence))).toEqual([])
    expect(sentences.filter((sentence) => sentence.split(' ').length > 30)).toEqual([])
  })

  test('guides speak to the reader, in at most 16 words at the median', () => {
    const sentences = guides.flatMap((page) => sentencesIn(read(page)))
    const lengths = sentences.map((sentence) => sentence.split(' ').length).sort((one, other) => one - other)
    const toReader = sentences.filter((sentence) => /\byou(?:r|rs|rself)?\b/i.test(sentence))

    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(16)
    expect(toReader.length / sentences.length).toBeGreaterThan(0.15)
  })
})
