/** One holder of a folder at a time: a socket that answers is a process that lives. */
import { createHash } from 'node:crypto'
import { rename, stat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StartError } from './start-error.js'

export interface Lock {
  release(): Promise<void>
}

/** A socket's path may have little over 100 bytes. */
const mostPathBytes = 100

/**
 * Holds a folder until `release` or the end of the process, however it ends. Whoever else tries is told `info`.
 *
 * @throws {StartError} `ALREADY_RUNNING`, naming the holder's process and address.
 */
export async function holdLock(folder: string, info: () => { pid: number; url?: string }): Promise<Lock> {
  const path = lockPath(folder)
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(JSON.stringify(info()))
  })
  server.unref()
  let hasTakenOver = false
  for (;;) {
    if (await listens(server, path)) {
      // Two that found the same dead socket may each have moved it; the one whose socket stays there holds the folder.
      if (!hasTakenOver || (await isStillOurs(path))) return { release: () => close(server) }
      await close(server)
    }
    const holder = await ask(path)
    if (holder !== undefined) throw alreadyRunning(folder, holder)
    hasTakenOver = true
    await takeAway(path)
  }
}

/** Moves a dead socket out of the way, and puts it back if it turns out to be alive. */
async function takeAway(path: string): Promise<void> {
  const aside = `${path}.${process.pid}-${Math.random().toString(36).slice(2, 8)}`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  if ((await ask(aside)) === undefined) await unlink(aside)
  else await rename(aside, path)
}

async function isStillOurs(path: string): Promise<boolean> {
  const before = await inode(path)
  await pause(100)
  return before !== undefined && before === (await inode(path))
}

async function inode(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ ino }) => ino,
    () => undefined,
  )
}

/** What the process behind a socket says; nothing if there is none. */
function ask(path: string): Promise<{ pid?: number; url?: string } | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(path)
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => resolve(undefined))
    // A machine under load may be told of the time-out before it is told of the connection: somebody may well be there.
    socket.on('close', () => resolve(parse(text)))
  })
}

function parse(text: string): { pid?: number; url?: string } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error))
    server.once('error', onError)
    server.listen(path, () => {
      server.off('error', onError)
      resolve(true)
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

function lockPath(folder: string): string {
  const name = `svc-${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`
  const inside = join(folder, 'lock')
  return Buffer.byteLength(inside) <= mostPathBytes ? inside : join(tmpdir(), `${name}.lock`)
}

function alreadyRunning(folder: string, { pid, url }: { pid?: number; url?: string }) {
  const who = [pid ? `process ${pid}` : 'another process', url ? `at ${url}` : 'which is still starting'].join(' ')
  return new StartError(
    'ALREADY_RUNNING',
    `"${folder}" is in use by ${who}.`,
    'Use that one, stop it, or name another folder with --data.',
  )
}
