/**
 * Allows one holder of a folder at a time, whatever path it is opened by. It holds a name made of the device and inode,
 * which the system releases when the process ends. It also holds a socket in the folder, which other containers can
 * reach. Decision 65.
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

/** The holder of a folder, as shown to other processes. */
export interface Holder {
  readonly pid?: number
  readonly url?: string
}

/** A held part of the lock. Undefined if the system does not support it. */
type Held = Lock | undefined

/** The path of a socket is limited to little over 100 bytes. */
const maxPathBytes = 100

/** Retries a holder that is just starting or ending. */
const maxTries = 20
const betweenTriesMilliseconds = 50

/** `O_EXLOCK` of macOS and the BSDs. Node passes it on, but has no constant for it. */
const exclusively = 0x20

/**
 * Holds a folder until `release` or the end of the process, even by a crash. Other processes that try receive `info`.
 * @throws {StartError} `ALREADY_RUNNING` with the holder's process and address; `FOLDER_NOT_WRITABLE` if it cannot be
 * locked.
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

/** Finds the current holder of a folder without locking or changing anything. */
export async function findHolder(folder: string): Promise<Holder | undefined> {
  const address = await nameAddress(folder)
  const holder = address === undefined ? undefined : await ask(address)
  return holder ?? askSockets(folder, Math.max(0, ...(await numbersIn(folder))))
}

/** Holds the name made of device and inode. The system removes it with its process, so there are never dead ones. */
async function holdName(folder: string, info: () => Holder): Promise<Held> {
  const address = await nameAddress(folder)
  return address === undefined ? holdFile(folder) : holdAddress(address, folder, info)
}

/** Undefined if sockets need a file. */
async function nameAddress(folder: string): Promise<string | undefined> {
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
    if (holder || tries === maxTries) throw alreadyRunning(folder, holder ?? {})
    await pause(betweenTriesMilliseconds)
  }
}

/** Locks a file that only one process may have open, for systems whose sockets need a file. */
async function holdFile(folder: string): Promise<Held> {
  // Does not follow a link, because one in a cloned folder could point anywhere (contract 12.4). Then only the socket
  // is held.
  const { O_RDWR, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants
  try {
    const flags = O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | exclusively
    const file = await open(join(folder, 'lock.file'), flags, 0o600)
    return { release: () => file.close() }
  } catch (error) {
    if (errorCode(error as Error) !== 'EAGAIN') return undefined
    throw alreadyRunning(folder, (await byShortPath(join(folder, 'lock'), ask)) ?? {})
  }
}

/**
 * Holds the socket in the folder, for containers that share nothing else. Each holder takes the number after that of
 * the last one. Only one process can link a number, and the greatest number is never removed. So a process that is slow
 * to see a dead holder cannot take the lock from its successor. On release, an empty file replaces the socket, because
 * programs that copy or pack a folder stop at sockets.
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

/** Returns the claimed number. Undefined if the disk does not support links. @throws {StartError} `ALREADY_RUNNING` */
async function claimNumber(folder: string, own: string): Promise<number | undefined> {
  for (;;) {
    const last = Math.max(0, ...(await numbersIn(folder)))
    const holder = await askSockets(folder, last)
    if (holder) throw alreadyRunning(folder, holder)
    const outcome = await link(own, numbered(folder, last + 1)).then(() => 'linked', errorCode)
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

/** Replaces the socket atomically, so that the number always exists. If that fails, the dead socket stays. */
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

/** Holds the name that svc 0.1.0 checks. No other process of this version competes, because the number is held. */
async function holdUsualName(folder: string, info: () => Holder): Promise<Held> {
  const path = join(folder, 'lock')
  for (let tries = 1; tries <= maxTries; tries++) {
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
 * Calls with a short path through a link, because socket paths are limited. Undefined if it cannot be made. Removes the
 * link afterwards: a closing server removes the file at its path, which may be another server's by then.
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

/** Codes that mean that no process listens. With any other, such as a full queue or a missing permission, one may. */
const dead: readonly string[] = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'EPROTOTYPE']

/** Asks the process behind a socket. Undefined if there is none. */
function ask(path: string): Promise<Holder | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(path)
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', (error) => resolve(dead.includes(errorCode(error)) ? undefined : {}))
    // Under load, the timeout may fire before the connection is noticed: a process may well be listening.
    socket.on('close', () => resolve(parse(text)))
  })
}

/** Validates the answer, because any user of the machine can take a name without a file. */
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

/** Returns "listening", or the error code. */
function listens(server: Server, path: string): Promise<string> {
  return new Promise((resolve) => {
    const onError = (error: Error) => resolve(errorCode(error))
    server.once('error', onError)
    server.listen(path, () => {
      server.off('error', onError)
      resolve('listening')
    })
  })
}

function errorCode(error: Error): string {
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
    'Use that one, stop it, choose another folder with --data, or save nothing with --memory.',
  )
}

function cannotLock(folder: string) {
  return new StartError(
    'FOLDER_NOT_WRITABLE',
    `Cannot lock "${folder}", so two emulators could write to it.`,
    'Choose a folder on a local disk with --data.',
  )
}
