import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { holdLock } from './lock.js'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-lock-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

test('allows one holder of a folder and names it to other processes', async () => {
  const lock = await holdLock(folder, () => ({ pid: 7, url: 'http://127.0.0.1:1' }))

  await expect(holdLock(folder, () => ({ pid: 8 }))).rejects.toThrow('is in use by process 7 at http://127.0.0.1:1.')
  await lock.release()
  const next = await holdLock(folder, () => ({ pid: 8 }))
  await next.release()
})

test('leaves no socket after a release, so that the folder can be copied, but keeps the last number', async () => {
  const first = await holdLock(folder, () => ({ pid: 7 }))
  await first.release()
  const second = await holdLock(folder, () => ({ pid: 8 }))
  const numbers = (await readdir(folder)).filter((name) => /^lock\.\d+$/.test(name))
  await second.release()

  const copy = `${folder}-copy`
  await cp(folder, copy, { recursive: true })

  const left = await readdir(folder, { withFileTypes: true })
  expect(left.filter((entry) => entry.isSocket())).toEqual([])
  expect(numbers).toEqual(['lock.2'])
  expect(left.map(({ name }) => name)).toEqual(numbers)
  await rm(copy, { recursive: true })
})

test('keeps the lock of a holder that does not answer in time', async () => {
  const lock = await holdLock(folder, () => ({ pid: 7 }))
  vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, _, callback) {
    callback?.()
    return this
  })

  await expect(holdLock(folder, () => ({ pid: 8 }))).rejects.toThrow('is in use by another process')
  await lock.release()
})

test('ignores invalid answers, which another user may have sent', async () => {
  const lies = JSON.parse('{ "pid": "\\u001b[2J", "url": "http://x\\u001b[31m" }')
  const lock = await holdLock(folder, () => lies)

  await expect(holdLock(folder, () => ({ pid: 8 }))).rejects.toThrow('is in use by another process which is still')
  await lock.release()
})

/** Simulates disks without sockets and two containers that share a folder. */
const worlds = [
  ['with both kinds of names', () => undefined],
  ['on a disk without sockets', () => refuseNames((path) => !path.startsWith('\0'))],
  ['from another container', () => refuseNames((path) => path.startsWith('\0'))],
] as const

describe.each(worlds)('%s', (_, enter) => {
  test('locks the folder, whatever path it is opened by', async () => {
    enter()
    const long = join(folder, 'x'.repeat(60), 'y'.repeat(60))
    await mkdir(long, { recursive: true })
    await symlink(long, join(folder, 'short'))
    const lock = await holdLock(long, () => ({ pid: 7 }))

    for (const spelled of [join(folder, 'short'), join(folder, 'short', '.'), long]) {
      await expect(
        holdLock(spelled, () => ({ pid: 8 })),
        spelled,
      ).rejects.toThrow('in use by process 7')
    }
    const elsewhere = await mkdtemp(join(tmpdir(), 'svc-tmp-'))
    vi.stubEnv('TMPDIR', elsewhere)
    await expect(holdLock(join(folder, 'short'), () => ({ pid: 8 }))).rejects.toThrow('in use by process 7')
    await lock.release()
    await rm(elsewhere, { recursive: true })
  })

  test('lets exactly one process take over from a dead one, round after round', async () => {
    enter()
    for (let round = 0; round < 5; round++) {
      leaveDeadSocket(join(folder, 'lock'))

      const holders = await Promise.allSettled(Array.from({ length: 6 }, (_, pid) => holdLock(folder, () => ({ pid }))))

      const locks = holders.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      expect(locks).toHaveLength(1)
      for (const lock of locks) await lock.release()
    }
  })

  test('releasing a lock twice does not release that of the next holder', async () => {
    enter()
    const first = await holdLock(folder, () => ({ pid: 7 }))
    await first.release()
    const second = await holdLock(folder, () => ({ pid: 8 }))
    await first.release()

    await expect(holdLock(folder, () => ({ pid: 9 }))).rejects.toThrow('in use by process 8')
    await second.release()
  })
})

test('a process that is slow to notice dead holders does not take the lock from their successor', async () => {
  await writeFile(join(folder, 'lock.5'), '')
  const next = createServer((socket) => socket.end('{ "pid": 9 }'))
  // Simulates looking at 5 while 6 has come and gone and 7 is held, so that 6 is free.
  vi.spyOn(Socket.prototype, 'setTimeout').mockImplementationOnce(function (this: Socket) {
    next.listen(join(folder, 'lock.7'))
    return this
  })

  await expect(holdLock(folder, () => ({ pid: 8 }))).rejects.toThrow('in use by process 9')

  const numbers = (await readdir(folder)).filter((name) => /^lock\.\d+$/.test(name))
  expect(numbers.sort()).toEqual(['lock.5', 'lock.7'])
  await new Promise((resolve) => next.close(resolve))
})

test('refuses a folder that cannot be locked', async () => {
  refuseNames(() => true)

  await expect(holdLock(folder, () => ({ pid: 7 }))).rejects.toMatchObject({
    code: 'FOLDER_NOT_WRITABLE',
    hint: expect.stringContaining('local disk'),
  })
})

/** Refuses some socket names, as a network disk or a sandbox does. */
function refuseNames(isRefused: (path: string) => boolean): void {
  const listen = Server.prototype.listen
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...given: unknown[]) {
    if (typeof given[0] !== 'string' || !isRefused(given[0])) return listen.apply(this, given as never)
    const error = Object.assign(new Error('listen EPERM'), { code: 'EPERM' })
    process.nextTick(() => this.emit('error', error))
    return this
  })
}

/** Leaves a socket without a listener, as `kill -9` does. */
function leaveDeadSocket(path: string): void {
  const script = `require('fs').rmSync(${JSON.stringify(path)}, { force: true })
    require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  try {
    execFileSync(process.execPath, ['-e', script], { stdio: 'ignore' })
  } catch {
    return
  }
}

test.each([
  ['to a missing file', false],
  ['to an existing file', true],
])('does not follow a link %s instead of the lock file of other systems', async (_, isThere) => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
  const outside = join(folder, 'outside')
  const inside = join(folder, 'inside')
  await mkdir(inside)
  if (isThere) await writeFile(outside, 'mine')
  await symlink(outside, join(inside, 'lock.file'))

  const lock = await holdLock(inside, () => ({ pid: 7 }))
  await expect(holdLock(inside, () => ({ pid: 8 }))).rejects.toThrow('is in use by process 7')
  await lock.release()

  expect(await readFile(outside, 'utf8').catch(() => undefined)).toBe(isThere ? 'mine' : undefined)
})
