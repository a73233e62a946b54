/** `svc` as a function of a shell script, whose commands run in one process where nothing tells that from several. */
import { text } from 'node:stream/consumers'
import { serve } from '../../fixtures/servers.js'
import { bin, canRunWarm, hungMilliseconds } from '../command-line.js'
import { runWarm } from './warm-commands.js'

export interface ShellFunction {
  /** Defines the function in Bash. */
  readonly definition: string
  close(): Promise<void>
}

/** Variables that a shell sets. */
const ofShell = ['PWD', 'OLDPWD', 'SHLVL', '_']

/** @param base the environment that the script is started with */
export async function openShellFunction(base: Readonly<Record<string, string>>): Promise<ShellFunction> {
  const spawning = `'${process.execPath}' '${bin}' "$@"`
  const { url, close } = await serve(async (request, response) => {
    const [cwd = '', count, ...rest] = (await text(request)).split('\0')
    const words = rest.slice(0, Number(count))
    const env = environmentOf(rest.slice(words.length))
    const changed = Object.fromEntries(Object.entries(env).filter(([name, value]) => base[name] !== value))
    const ran = canRunWarm(words, { env: changed })
      ? await runWarm({ words, cwd, env, isTerminal: false }, hungMilliseconds)
      : undefined
    const printing = ran && `printf %s ${quote(ran.stdout)}; printf %s ${quote(ran.stderr)} >&2; return ${ran.exit}`
    response.end(printing ?? spawning)
  })
  // Standard input is that of the command only where the script leads something there.
  const definition = `svc() {
    if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then ${spawning}; return; fi
    local answer
    answer=$({ printf '%s\\0' "$PWD" "$#" "$@"; env -0; } | curl -sS --data-binary @- ${url})
    eval "$answer"
  }`
  return { definition, close }
}

const quote = (words: string) => `'${words.replaceAll("'", `'\\''`)}'`

function environmentOf(lines: readonly string[]): Record<string, string> {
  const pairs = lines.map((line) => [line.split('=', 1).join(), line.slice(line.indexOf('=') + 1)] as const)
  return Object.fromEntries(pairs.filter(([name]) => name !== '' && !ofShell.includes(name)))
}
