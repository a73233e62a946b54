/**
 * One process per test file that runs commands one after another. What needs a process, a terminal, a signal or standard input
 * is spawned instead, and so is a command that is given while another one runs.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface WarmRun {
  readonly words: readonly string[]
  readonly cwd: string
  /** A variable that is undefined is not set. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTerminal: boolean
}

export interface WarmRan {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

const script = fileURLToPath(new URL('child.js', import.meta.url))
/** Follows what a command prints on either stream: control characters, which no command prints. */
const mark = '\u0000\u0001end\u0001\u0000'

let child: ChildProcess | undefined
let isBusy = false

/** Answers undefined while another command runs: that one is to be spawned. */
export async function runWarm(run: WarmRun, mostMilliseconds: number): Promise<WarmRan | undefined> {
  if (isBusy) return undefined
  isBusy = true
  try {
    child ??= await open()
    return await runIn(child, run, mostMilliseconds)
  } finally {
    isBusy = false
  }
}

async function open(): Promise<ChildProcess> {
  const opened = fork(script, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] })
  await new Promise((resolve, reject) => {
    opened.once('message', resolve)
    opened.once('exit', (code) => reject(new Error(`The process for commands ended with ${code}.`)))
  })
  opened.removeAllListeners('exit')
  opened.once('exit', () => {
    child = undefined
  })
  // It ends with the process of the test, and does not keep it.
  opened.unref()
  opened.channel?.unref()
  return opened
}

function runIn(opened: ChildProcess, run: WarmRun, mostMilliseconds: number): Promise<WarmRan> {
  return new Promise((resolve, reject) => {
    const text = { stdout: '', stderr: '' }
    let exit: number | undefined
    let hasEnded = false
    const hangs = setTimeout(() => {
      opened.kill('SIGKILL')
      finish(() => reject(new Error(`The command took too long, and was ended:\n${text.stdout}${text.stderr}`)))
    }, mostMilliseconds)

    function finish(tell: () => void) {
      clearTimeout(hangs)
      opened.stdout?.off('data', onStdout)
      opened.stderr?.off('data', onStderr)
      opened.off('message', onMessage)
      opened.off('close', onClose)
      tell()
    }
    function settle() {
      const isWhole = text.stdout.endsWith(mark) && text.stderr.endsWith(mark)
      if (exit === undefined || !(isWhole || hasEnded)) return
      const [stdout, stderr] = [text.stdout, text.stderr].map((all) =>
        all.endsWith(mark) ? all.slice(0, -mark.length) : all,
      )
      const result = { exit, stdout: stdout ?? '', stderr: stderr ?? '' }
      finish(() => resolve(result))
    }
    const onStdout = (piece: string) => {
      text.stdout += piece
      settle()
    }
    const onStderr = (piece: string) => {
      text.stderr += piece
      settle()
    }
    const onMessage = (message: { exit: number }) => {
      exit = message.exit
      settle()
    }
    const onClose = (code: number | null) => {
      exit ??= code ?? -1
      hasEnded = true
      settle()
    }
    opened.stdout?.setEncoding('utf8').on('data', onStdout)
    opened.stderr?.setEncoding('utf8').on('data', onStderr)
    opened.on('message', onMessage)
    opened.on('close', onClose)
    opened.send({ ...run, mark })
  })
}
