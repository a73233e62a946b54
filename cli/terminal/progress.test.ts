import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startProgress } from './progress.js'

const height = 4
let screen: ReturnType<typeof openScreen>

beforeEach(() => {
  screen = openScreen(height)
  vi.stubEnv('CI', '')
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => screen.write(String(text)))
  Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  Reflect.deleteProperty(process.stderr, 'isTTY')
})

test('a bar shows how far it is, and leaves nothing behind once it is over', async () => {
  process.stderr.write('before\n')
  const progress = await startProgress(10, 'document', { isWanted: true })

  progress.at(5, 1_234)
  const during = screen.text()
  progress.stop()

  expect(during).toMatch(/before\n {2}━+ +50 % {2}1,234 documents/)
  expect(screen.text()).toBe('before')
})

test('a bar leaves nothing behind where other lines were written meanwhile, and the terminal has scrolled', async () => {
  const progress = await startProgress(10, 'document', { isWanted: true })
  progress.at(1, 1)

  for (let line = 1; line <= height; line++) process.stderr.write(`\nline ${line}`)
  process.stderr.write('\n')
  progress.at(2, 2)
  progress.stop()

  expect(screen.text()).not.toMatch(/━|%/)
  expect(screen.text()).toContain('line 4')
})

test('a bar makes way for words, and goes on below them', async () => {
  const progress = await startProgress(10, 'document', { isWanted: true })

  progress.at(1, 1)
  progress.resume()
  process.stderr.write('going on\n')
  progress.at(2, 2)
  const during = screen.text()
  progress.stop()

  expect(during).toMatch(/^going on\n {2}━+ +20 %/)
  expect(screen.text()).toBe('going on')
})

test.each([
  ['--quiet and --json', { isWanted: false }, { isTTY: true, ci: '' }],
  ['no terminal', { isWanted: true }, { isTTY: false, ci: '' }],
  ['CI', { isWanted: true }, { isTTY: true, ci: 'true' }],
])('nothing is drawn with %s', async (_, options, { isTTY, ci }) => {
  vi.stubEnv('CI', ci)
  Object.defineProperty(process.stderr, 'isTTY', { value: isTTY, configurable: true })
  const progress = await startProgress(10, 'document', options)

  progress.at(5, 5)
  progress.stop()

  expect(screen.text()).toBe('')
})

const esc = '\x1B'
/** A sequence that moves or clears, a saved place, an end of a line, or text. */
const pieces = new RegExp(`${esc}\\[\\??(\\d*)(?:;\\d+)?([A-Za-z])|${esc}[78]|[\r\n]|[^${esc}\r\n]+`, 'g')

/** As much of a terminal as bars use: lines that scroll, a cursor that moves in its line, clearing, and a saved place. */
function openScreen(rows: number) {
  const lines = ['']
  let [row, column] = [0, 0]
  let saved = { row: 0, column: 0 }
  const put = (text: string) => {
    const line = (lines[row] ?? '').padEnd(column)
    lines[row] = line.slice(0, column) + text + line.slice(column + text.length)
    column += text.length
  }
  const steps: Record<string, (count: number) => void> = {
    '\r': () => {
      column = 0
    },
    '\n': () => {
      column = 0
      row++
      lines[row] ??= ''
      if (row < rows) return
      lines.shift()
      row--
    },
    '\x1B7': () => {
      saved = { row, column }
    },
    '\x1B8': () => {
      ;({ row, column } = saved)
    },
    G: (count) => {
      column = count - 1
    },
    A: (count) => {
      row = Math.max(0, row - count)
    },
    K: () => {
      lines[row] = (lines[row] ?? '').slice(0, column)
    },
    J: () => {
      lines.length = row + 1
      lines[row] = (lines[row] ?? '').slice(0, column)
    },
  }
  return {
    write(text: string): true {
      for (const [part, count = '', name] of text.matchAll(pieces)) {
        const step = steps[name ?? part]
        if (step) step(Number(count || 1))
        else if (name === undefined) put(part)
      }
      return true
    },
    text: () =>
      lines
        .map((line) => line.trimEnd())
        .join('\n')
        .trimEnd(),
  }
}
