import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../emulator/assembly/dev.js'

const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
const outside = addresses.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address)
const loopback = addresses
  .filter(({ internal, scopeid = 0 }) => internal && scopeid === 0)
  .map(({ address }) => address)

/** The outcome of a connection: `open`, or the code of its error. */
function reach(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket
      .on('connect', () => resolve('open'))
      .on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
    onTestFinished(() => socket.destroy() && undefined)
  })
}

test('where no host is given, this machine alone is served, by IPv4 and IPv6', async () => {
  const emulator = await startEmulator({ memory: true })
  onTestFinished(() => emulator.close())
  const port = Number(new URL(emulator.url).port)

  const own = await Promise.all(loopback.map((address) => reach(address, port)))
  const others = await Promise.all(outside.map((address) => reach(address, port)))

  expect(loopback).toContain('127.0.0.1')
  expect(own).toEqual(loopback.map(() => 'open'))
  expect(others).toEqual(outside.map(() => 'ECONNREFUSED'))
})
