/** Keeps a status line at the bottom of the terminal of `svc dev`. */

import { onStdout } from '../terminal/colour.js'
import { cut } from '../terminal/text-width.js'

export interface Screen {
  /** Sets the text of the status line. */
  status(words: string): void
  clear(): void
  /** Restores the terminal. */
  close(): void
}

const eraseLine = '\r\u001b[2K'
const eraseAll = '\u001b[2J\u001b[3J\u001b[H'

type Write = NodeJS.WriteStream['write']

/**
 * Keeps the status line below all output of the process, by wrapping `write`. A terminal of unknown width gets no status line.
 */
export function openScreen(output: NodeJS.WriteStream = process.stdout, others = [process.stderr]): Screen {
  const write = output.write.bind(output)
  const streams = [output, ...others.filter((stream) => stream.isTTY)]
  const writes = streams.map((stream) => stream.write)
  let words = ''
  let isShown = false

  function draw() {
    const { columns = 0 } = output
    if (words === '' || columns < 20) return
    write(eraseLine + onStdout.dim(cut(words, columns - 1)))
    isShown = true
  }

  function erase() {
    if (isShown) write(eraseLine)
    isShown = false
  }

  function below(stream: NodeJS.WriteStream, original: Write): Write {
    const around = (...given: Parameters<Write>) => {
      erase()
      const isTaken = Reflect.apply(original, stream, given)
      if (String(given[0]).endsWith('\n')) draw()
      return isTaken
    }
    return around as Write
  }

  streams.forEach((stream, at) => {
    const original = writes[at]
    if (original) stream.write = below(stream, original)
  })
  output.on('resize', draw)
  process.on('exit', erase)
  return {
    status(next) {
      if (next === words) return
      words = next
      draw()
    },
    clear() {
      write(eraseAll)
      draw()
    },
    close() {
      erase()
      streams.forEach((stream, at) => {
        const original = writes[at]
        if (original) stream.write = original
      })
      output.off('resize', draw)
      process.off('exit', erase)
    },
  }
}
