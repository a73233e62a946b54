/** The protocol's own client, connected to `svc mcp` over either transport and in either version of the protocol. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type ExecaError, execa } from 'execa'
import { bin, cleanEnv, type World } from '../command-line.js'

/** The version with a handshake, and the one that is asked without. */
export const versions = ['legacy', { pin: '2026-07-28' }] as const
type Version = (typeof versions)[number]

export interface Agent {
  readonly client: Client
  /** The process of the server, over stdio. */
  readonly pid: number | null
  /** Calls a tool, and answers what it said. */
  call(name: string, given?: Record<string, unknown>): Promise<Said>
  close(): Promise<void>
}

export interface Said {
  readonly isError: boolean
  readonly text: string
  /** The second line, which is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes.
  readonly data: any
}

export async function overStdio(
  world: World,
  words: readonly string[],
  version: Version,
  more: Readonly<Record<string, string>> = {},
): Promise<Agent> {
  const env = { ...cleanEnv(world.folder), ...more }
  const args = [bin, 'mcp', ...words]
  return connect(new StdioClientTransport({ command: process.execPath, args, cwd: world.folder, env }), version)
}

export async function overHttp(world: World, words: readonly string[], version: Version): Promise<Agent> {
  const server = await startHttp(world, words)
  const token = await controlToken(world)
  const headers = { authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } })
  return connect(transport, version, server.stop)
}

export async function controlToken(world: World): Promise<string> {
  return JSON.parse(await readFile(join(world.folder, '.svc', 'emulator.json'), 'utf8')).controlToken
}

/** Starts `svc mcp --port 0` and answers once it listens. */
export async function startHttp(world: World, words: readonly string[] = []) {
  const child = execa(process.execPath, [bin, 'mcp', '--port', '0', ...words], {
    cwd: world.folder,
    env: cleanEnv(world.folder),
    extendEnv: false,
    stdin: 'ignore',
  })
  const ended = child.catch((error: ExecaError) => error)
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stderr.on('data', (piece) => {
      printed += piece
      const found = /http:\/\/\S+/.exec(printed)
      if (found) resolve(found[0])
    })
    ended.then(() => reject(new Error(`svc mcp ended before it listened: ${printed}`)))
  })
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function connect(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  mode: Version,
  stop: () => Promise<void> = async () => undefined,
): Promise<Agent> {
  const client = new Client({ name: 'scripted agent', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return {
    client,
    pid: transport instanceof StdioClientTransport ? transport.pid : null,
    async call(name, given = {}) {
      const { content, isError } = await client.callTool({ name, arguments: given })
      const [first] = content
      const text = first?.type === 'text' ? first.text : ''
      return { isError: isError === true, text, data: JSON.parse(text.split('\n')[1] ?? 'null') }
    },
    async close() {
      await client.close()
      await stop()
    },
  }
}
