/** `svc` as a function of a shell script, whose commands run in one process where nothing tells that from several. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { bin, canRunWarm, hungMilliseconds } from '../command-line.js'
import { runWarm } from './warm-commands.js'

/** Variables that a shell sets. */
const shellVariables = ['PWD', 'OLDPWD', 'SHLVL', '_']

/**
 * Returns the definition of the function in Bash, for the running test.
 *
 * @param base the environment that the script is started with
 */
export async function defineShellFunction(base: Readonly<Record<string, string>>): Promise<string> {
  const spawning = `'${process.execPath}' '${bin}' "$@"`

  async function answer(request: string): Promise<string> {
    const [cwd = '', count, ...rest] = request.split('\0')
    const words = rest.slice(0, Number(count))
    const env = readEnvironment(rest.slice(words.length))
    const changed = Object.fromEntries(Object.entries(env).filter(([name, value]) => base[name] !== value))
    const ran = canRunWarm(words, { env: changed })
      ? await runWarm({ words, cwd, env, isTerminal: false }, hungMilliseconds)
      : undefined
    return ran ? `printf %s ${quote(ran.stdout)}; printf %s ${quote(ran.stderr)} >&2; return ${ran.exit}` : spawning
  }

  /** Reads the path of a file with the request, because Bash cannot end what it sends. */
  async function serve(socket: Socket): Promise<void> {
    const [path] = await once(socket, 'data')
    socket.end(await answer(await readFile(String(path).trim(), 'utf8')))
  }

  const server = createServer((socket) => void serve(socket).catch((error) => socket.destroy(error)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  // Standard input is that of the command only where the script leads something there. Not every machine has curl.
  return `svc() {
    if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then ${spawning}; return; fi
    local request answer
    request=$(mktemp)
    { printf '%s\\0' "$PWD" "$#" "$@"; env -0; } > "$request"
    answer=$(exec 3<>/dev/tcp/127.0.0.1/${port}; echo "$request" >&3; cat <&3)
    rm "$request"
    eval "\${answer:-exit 70}"
  }`
}

const quote = (words: string) => `'${words.replaceAll("'", `'\\''`)}'`

function readEnvironment(lines: readonly string[]): Record<string, string> {
  const pairs = lines.map((line) => [line.split('=', 1).join(), line.slice(line.indexOf('=') + 1)] as const)
  return Object.fromEntries(pairs.filter(([name]) => name !== '' && !shellVariables.includes(name)))
}
