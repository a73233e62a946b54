/**
 * One holder of a folder at a time, whatever the folder is called: by a name of its device and inode that the system takes
 * back when the process ends, and by a socket in the folder, which reaches other containers. Decision 65.
 */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdtemp, open, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StartError } from '../start-error.js'

export interface Lock {
  release(): Promise<void>
}

/** What a process that wants a folder learns of its holder. */
export interface Holder {
  readonly pid?: number
  readonly url?: string
}

/** A part of the lock that is held; nothing where the system has no such thing. */
type Held = Lock | undefined

/** A socket's path may have little over 100 bytes. */
const maxPathBytes = 100

/** A process that is just beginning or ending is asked again. */
const mostTries = 20
const betweenTriesMilliseconds = 50

/** `O_EXLOCK` of macOS and the BSDs, which Node passes on and has no name for. */
const exclusively = 0x20

/**
 * Holds a folder until `release` or the end of the process, however it ends. Any other process that tries receives `info`.
 *
 * @throws {StartError} `ALREADY_RUNNING`, naming the holder's process and address; `FOLDER_NOT_WRITABLE` where nothing can be held.
 */
export async function holdLock(folder: string, info: () => Holder): Promise<Lock> {
  const name = await holdName(folder, info)
  try {
    const socket = process.platform === 'win32' ? undefined : await holdSocket(folder, info)
    if (!name && !socket) throw cannotLock(folder)
    let released: Promise<void> | undefined
    const release = async () => {
      await socket?.release()
      await name?.release()
    }
    return {
      release() {
        released ??= release()
        return released
      },
    }
  } catch (error) {
    await name?.release()
    throw error
  }
}

/** Who holds a folder at this moment, as a process of another folder may ask. Nothing is held or changed. */
export async function findHolder(folder: string): Promise<Holder | undefined> {
  const address = await addressOf(folder)
  const holder = address === undefined ? undefined : await ask(address)
  return holder ?? askSockets(folder, Math.max(0, ...(await numbersIn(folder))))
}

/** What the system knows by the folder's device and inode: it has no dead ones, so none is taken over. */
async function holdName(folder: string, info: () => Holder): Promise<Held> {
  const address = await addressOf(folder)
  return address === undefined ? holdFile(folder) : holdAddress(address, folder, info)
}

/** Undefined where sockets have no names without a file. */
async function addressOf(folder: string): Promise<string | undefined> {
  const { dev, ino } = await stat(folder, { bigint: true })
  const name = `svc-${dev}-${ino}`
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`
  return process.platform === 'linux' ? `\0${name}` : undefined
}

async function holdAddress(address: string, folder: string, info: () => Holder): Promise<Held> {
  for (let tries = 1; ; tries++) {
    const server = answering(info)
    const outcome = await listens(server, address)
    if (outcome === 'listening') return { release: () => close(server) }
    if (outcome !== 'EADDRINUSE') return undefined
    const holder = await ask(address)
    if (holder || tries === mostTries) throw alreadyRunning(folder, holder ?? {})
    await pause(betweenTriesMilliseconds)
  }
}

/** Where sockets have no names without a file: a file that only one process may have open. */
async function holdFile(folder: string): Promise<Held> {
  // A link that came with a cloned folder may lead anywhere (contract 12.4): it is not followed, and the socket alone is held.
  const { O_RDWR, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants
  try {
    const flags = O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | exclusively
    const file = await open(join(folder, 'lock.file'), flags, 0o600)
    return { release: () => file.close() }
  } catch (error) {
    if (codeOf(error as Error) !== 'EAGAIN') return undefined
    throw alreadyRunning(folder, (await byShortPath(join(folder, 'lock'), ask)) ?? {})
  }
}

/**
 * The socket in the folder, where containers meet that share nothing else. Each holder has a number of its own, greater than that
 * of the one that died: a link to the next number can be made once, and the greatest is never removed. So a process that was slow to see
 * that a holder is dead takes nothing away from who has come after it. A holder that releases leaves an empty file of its number
 * instead of the socket, since programs that copy or pack a folder stop at sockets.
 */
async function holdSocket(folder: string, info: () => Holder): Promise<Held> {
  const server = answering(info)
  const own = join(folder, `lock.${process.pid}-${randomUUID()}`)
  try {
    if ((await byShortPath(own, (short) => listens(server, short))) !== 'listening') return undefined
    const number = await claimNumber(folder, own)
    const usual = await holdUsualName(folder, info)
    if (number === undefined && !usual) {
      await close(server)
      return undefined
    }
    return {
      async release() {
        await usual?.release()
        if (number !== undefined) await leaveNumber(folder, number)
        await close(server)
      },
    }
  } catch (error) {
    await close(server)
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

/** The number that is had; none where a disk has no links. @throws {StartError} `ALREADY_RUNNING` */
async function claimNumber(folder: string, own: string): Promise<number | undefined> {
  for (;;) {
    const last = Math.max(0, ...(await numbersIn(folder)))
    const holder = await askSockets(folder, last)
    if (holder) throw alreadyRunning(folder, holder)
    const outcome = await link(own, numbered(folder, last + 1)).then(() => 'linked', codeOf)
    if (outcome !== 'linked' && outcome !== 'EEXIST') return undefined
    if (outcome === 'EEXIST') continue
    const numbers = await numbersIn(folder)
    if (Math.max(...numbers) > last + 1) {
      await rm(numbered(folder, last + 1), { force: true })
      continue
    }
    for (const number of numbers) if (number <= last) await rm(numbered(folder, number), { force: true })
    return last + 1
  }
}

async function askSockets(folder: string, last: number): Promise<Holder | undefined> {
  return (await byShortPath(numbered(folder, last), ask)) ?? (await byShortPath(join(folder, 'lock'), ask))
}

/** In one step, so that the number is there at every moment. Where it fails, the socket stays, which answers no more. */
async function leaveNumber(folder: string, number: number): Promise<void> {
  const draft = join(folder, `lock.${process.pid}-${randomUUID()}`)
  try {
    await writeFile(draft, '', { flag: 'wx', mode: 0o600 })
    await rename(draft, numbered(folder, number))
  } catch {
    await rm(draft, { force: true }).catch(() => undefined)
  }
}

function numbered(folder: string, number: number): string {
  return join(folder, `lock.${number}`)
}

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder)
  return names.flatMap((name) => /^lock\.(\d{1,15})$/.exec(name)?.slice(1).map(Number) ?? [])
}

/** Where svc 0.1.0 looks. The number is held already, so no other process of this version is here. */
async function holdUsualName(folder: string, info: () => Holder): Promise<Held> {
  const path = join(folder, 'lock')
  for (let tries = 1; tries <= mostTries; tries++) {
    const server = answering(info)
    const outcome = await byShortPath(path, (short) => listens(server, short))
    if (outcome === 'listening') {
      return {
        async release() {
          await rm(path, { force: true })
          await close(server)
        },
      }
    }
    if (outcome !== 'EADDRINUSE') return undefined
    const holder = await byShortPath(path, ask)
    if (holder) throw alreadyRunning(folder, holder)
    await rm(path, { recursive: true, force: true })
  }
  return undefined
}

/**
 * Calls with the same path by a link, since a socket's has to be short; nothing if there can be none. The link is gone
 * afterwards, so that a server that closes, and removes what is at its path, removes nothing of another's.
 */
async function byShortPath<T>(path: string, work: (short: string) => Promise<T>): Promise<T | undefined> {
  const beside = await mkdtemp(join(tmpdir(), 'svc-')).catch(() => undefined)
  if (beside === undefined) return undefined
  try {
    const short = join(beside, 'l', basename(path))
    if (Buffer.byteLength(short) > maxPathBytes) return undefined
    await symlink(dirname(path), join(beside, 'l'))
    return await work(short)
  } catch {
    return undefined
  } finally {
    await rm(beside, { recursive: true, force: true })
  }
}

/** What says that no process listens. Anything else, as a full queue or a missing permission, says that one may. */
const dead: readonly string[] = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'EPROTOTYPE']

/** What the process behind a socket says; nothing if there is none. */
function ask(path: string): Promise<Holder | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(path)
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', (error) => resolve(dead.includes(codeOf(error)) ? undefined : {}))
    // Under load the time-out may be noticed before the connection is: a process may well listen.
    socket.on('close', () => resolve(parse(text)))
  })
}

/** A name without a file is open to every user of the machine, so nothing is believed that could not be so. */
function parse(text: string): Holder {
  try {
    const { pid, url } = JSON.parse(text) as { pid?: unknown; url?: unknown }
    const isAddress = typeof url === 'string' && /^http:\/\/[\w.:[\]-]{1,200}$/.test(url)
    return { ...(Number.isSafeInteger(pid) ? { pid: Number(pid) } : {}), ...(isAddress ? { url } : {}) }
  } catch {
    return {}
  }
}

function answering(info: () => Holder): Server {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(JSON.stringify(info()))
  })
  server.unref()
  return server
}

/** Where it does not listen, the code that says why. */
function listens(server: Server, path: string): Promise<string> {
  return new Promise((resolve) => {
    const onError = (error: Error) => resolve(codeOf(error))
    server.once('error', onError)
    server.listen(path, () => {
      server.off('error', onError)
      resolve('listening')
    })
  })
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

function alreadyRunning(folder: string, { pid, url }: Holder) {
  const who = [pid ? `process ${pid}` : 'another process', url ? `at ${url}` : 'which is still starting'].join(' ')
  return new StartError(
    'ALREADY_RUNNING',
    `"${folder}" is in use by ${who}.`,
    'Use that one, stop it, name another folder with --data, or keep nothing with --memory.',
  )
}

function cannotLock(folder: string) {
  return new StartError(
    'FOLDER_NOT_WRITABLE',
    `"${folder}" cannot be locked, so that two emulators could write into it.`,
    'Name a folder on a local disk with --data.',
  )
}
