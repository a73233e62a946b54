/** The built command line, as a user's shell runs it: in a separate folder, with separate settings. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { execa } from 'execa'
import { endsByItself } from '../fixtures/patience.js'
import type { SharedProject } from '../fixtures/shared-emulator.js'
import { runWarm } from './warm/warm-commands.js'

export type { SharedProject }

export const bin = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url))

export interface Ran {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** The width of the terminal; left out, it reports none. */
  readonly columns?: number
  /** Whether its streams are a terminal's. It is not typed at. */
  readonly isTerminal?: boolean
  /** Whether the command is expected to refuse to start an emulator, which spares loading its code once more. */
  readonly isRefused?: boolean
}

interface Start extends RunOptions {
  /** Milliseconds after which it is ended; 0 is never. */
  readonly timeout?: number
}

/** A command that takes longer than this hangs, however busy the machine is. */
export const hungMilliseconds = 480_000

/** Options of Node for an emulator that runs for seconds: optimizing its code would take longer than it saves. */
export const nodeOptions = ['--liftoff-only', '--no-opt']
const optionsFor = (words: readonly string[]) => (starting.test(words.join(' ')) ? nodeOptions : [])

/** How long a line is, and so where it breaks, depends on the path of the temporary folder. */
const onOneLine = (text: string) => text.replace(/\s+/g, ' ')

/** Text to type, or work to do before typing goes on. */
export type Turn = readonly [question: string, typed: string | (() => Promise<string>)]

export interface World {
  readonly folder: string
  /** Runs `svc` with these arguments. */
  svc(words: readonly string[], options?: RunOptions): Promise<Ran>
  /** Runs it with `--json`, and parses its output. */
  json(words: readonly string[], options?: RunOptions): Promise<unknown>
  /** Runs it at a terminal, and types each answer once its question is there. Answers all of its output. */
  terminal(words: readonly string[], dialogue: readonly Turn[], options?: RunOptions): Promise<Ran>
  /** Starts `svc dev` in the folder, and answers once it is ready. */
  dev(...flags: string[]): Promise<Dev>
  /** Gives the folder a new project at the run's emulator. Clock, faults, requests and accounts of the provider are shared. */
  useEmulator(): Promise<SharedProject>
  /** Leaves in the folder what a `svc dev` leaves that was stopped: a copy of the run's, or of another world's. */
  useLeftFolder(from?: string): Promise<void>
  close(): Promise<void>
}

export interface Dev {
  readonly url: string
  readonly apiKey: string
  readonly pid: number
  /** Sends the signal and answers how it ended. */
  stop(signal?: NodeJS.Signals): Promise<Ran>
}

/** Commands that start an emulator. */
const starting = /^(dev|exec)\b/
/** Commands that start processes, follow something until a signal comes, open a browser, or import code, which Node does once. */
const spawned = /^(serve|tail|open(?! --print)|logs\b.* -f|autocomplete|help|docs migrate)\b/
/** Seeds that may be code: modules, and whatever a folder holds. */
const seedsOfCode = /^seed\b(?! (export|generate)\b)(?!(?!.*\.[mc]?[jt]s\b).*\.(json|ndjson|csv)\b)/
/** Environment variables that are read on every use. Others are read when Node or a library loads. */
const warmVariables = /^(SVC_|EDITOR$)/

/** Whether nothing tells a process that runs one command from one that runs several. */
export function canRunWarm(words: readonly string[], { env = {}, input, isRefused = false }: RunOptions): boolean {
  const line = words.join(' ')
  if (input !== undefined || spawned.test(line) || seedsOfCode.test(line)) return false
  if (starting.test(line) && !isRefused) return false
  const isFollowing = words.some((word) => /^(-|--watch|--follow|--exec|--debug|--version|--help|-h)$/.test(word))
  return (
    words[0]?.startsWith('-') !== true && !isFollowing && Object.keys(env).every((name) => warmVariables.test(name))
  )
}

/** An empty working folder, isolated from the machine's own settings. */
export async function openWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  const base = cleanEnv(folder)
  const running = new Set<Dev>()
  const start = (words: readonly string[], { env = {}, input = '', timeout = hungMilliseconds }: Start = {}) =>
    execa(process.execPath, [...optionsFor(words), bin, ...words], {
      cwd: folder,
      env: { ...base, ...env },
      extendEnv: false,
      input,
      reject: false,
      timeout,
      ...endsByItself,
      stripFinalNewline: false,
    })
  const startAtTerminal = (words: readonly string[], { env = {}, columns = 0 }: RunOptions) => {
    // In the place of the shell, which Ctrl-C would end.
    const size = `stty cols ${columns}; exec `
    const line = size + [process.execPath, ...optionsFor(words), bin, ...words].map((word) => `'${word}'`).join(' ')
    return execa('script', ['-qec', line, '/dev/null'], {
      cwd: folder,
      env: { ...base, TERM: 'xterm', ...env },
      extendEnv: false,
      reject: false,
      timeout: hungMilliseconds,
    })
  }
  const svc = async (words: readonly string[], options: RunOptions = {}): Promise<Ran> => {
    const env = { ...base, ...options.env }
    const { isTerminal = false } = options
    const isWarm = canRunWarm(words, options)
    const warm = isWarm ? await runWarm({ words, cwd: folder, env, isTerminal }, hungMilliseconds) : undefined
    return warm ?? ran(await (isTerminal ? startAtTerminal(words, options) : start(words, options)))
  }
  /** As `svc dev` does: the code of a folder that it ran in may be run. */
  const trustFolder = async () => {
    await mkdir(base.SVC_CONFIG_DIR, { recursive: true, mode: 0o700 })
    const trusted = { folders: {}, code: [await realpath(folder)] }
    await writeFile(join(base.SVC_CONFIG_DIR, 'trusted.json'), JSON.stringify(trusted), { mode: 0o600 })
  }

  return {
    folder,
    svc,
    async json(words, options) {
      const { stdout, stderr, exit } = await svc([...words, '--json'], options)
      if (stdout === '') throw new Error(`svc ${words.join(' ')} --json said nothing (exit ${exit}): ${stderr}`)
      return JSON.parse(stdout)
    },
    async terminal(words, dialogue, { env = {}, columns = 0 } = {}) {
      const child = startAtTerminal(words, { env, columns })
      const left = [...dialogue]
      let seen = ''
      child.stdout.on('data', (piece) => {
        seen = stripVTControlCharacters(seen + piece)
        const [next] = left
        if (!next || !onOneLine(seen).includes(onOneLine(next[0]))) return
        left.shift()
        seen = ''
        const [, typed] = next
        if (typeof typed === 'string') child.stdin.write(typed)
        else typed().then((text) => child.stdin.write(text))
      })
      const { stdout, ...ended } = ran(await child)
      const said = stripVTControlCharacters(stdout).replaceAll('\r', '')
      if (left[0]) throw new Error(`svc ${words.join(' ')} did not ask "${left[0][0]}":\n${said}`)
      return { ...ended, stdout: said }
    },
    async dev(...flags) {
      const child = start(['dev', '--port', '0', '--json', ...flags], { timeout: 0 })
      const info = await firstLine(child)
      const dev: Dev = {
        ...info,
        async stop(signal = 'SIGTERM') {
          running.delete(dev)
          child.kill(signal)
          return ran(await child)
        },
      }
      running.add(dev)
      return dev
    },
    async useLeftFolder(from) {
      // Loaded lazily, because a global setup cannot load what asks for the run's emulators.
      const left = from ?? (await (await import('../fixtures/shared-emulator.js')).leftFolder())
      await execa('cp', ['-a', join(left, '.svc'), folder])
      await trustFolder()
    },
    async useEmulator() {
      const { newSharedProject } = await import('../fixtures/shared-emulator.js')
      const { secretKey, ...info } = await newSharedProject('here')
      await mkdir(join(folder, '.svc'), { recursive: true })
      await writeFile(join(folder, '.svc', 'emulator.json'), JSON.stringify(info), { mode: 0o600 })
      await trustFolder()
      return { ...info, secretKey }
    },
    async close() {
      for (const dev of running) await dev.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function cleanEnv(folder: string) {
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    SVC_CONFIG_DIR: join(folder, 'config'),
    // A terminal would otherwise ask the registry.
    SVC_UPDATE_NOTICE: 'off',
  }
}

interface Finished {
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly timedOut: boolean
  readonly stdout?: unknown
  readonly stderr?: unknown
}

/** One that was ended because it took too long can have any exit code: `script` ends with 0 then. */
export function ran({ exitCode, signal, timedOut, stdout, stderr }: Finished): Ran {
  if (timedOut) throw new Error(`The command took too long, and was ended:\n${stdout}${stderr}`)
  return { exit: exitCode ?? (signal === 'SIGKILL' ? 137 : -1), stdout: String(stdout), stderr: String(stderr) }
}

/** The first line of `svc dev --json`: that it is ready, and where. */
function firstLine(child: ReturnType<typeof execa>): Promise<{ url: string; apiKey: string; pid: number }> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (piece) => {
      text += piece
      if (text.includes('\n')) resolve(JSON.parse(text.slice(0, text.indexOf('\n'))))
    })
    child.then(({ stderr }) => reject(new Error(`svc dev ended before it was ready: ${stderr}${text}`)), reject)
  })
}
