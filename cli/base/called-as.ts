/** How `svc` is typed in the shell that has started it: only a global installation is found by its name alone. */
import { realpathSync } from 'node:fs'
import { basename, sep } from 'node:path'

interface Runner {
  readonly installed: string
  /** What fetches the package, where `svc` would be that of somebody else. */
  readonly fetched: string
}

const npx: Runner = { installed: 'npx svc', fetched: 'npx svc-toolkit' }
const yarn: Runner = { installed: 'yarn svc', fetched: 'yarn dlx svc-toolkit' }
const runners: Readonly<Record<string, Runner>> = {
  pnpm: { installed: 'pnpm exec svc', fetched: 'pnpm dlx svc-toolkit' },
  yarn,
  // It asks nobody before it runs what the registry has.
  bun: { installed: 'bunx --no-install svc', fetched: 'bunx svc-toolkit' },
}

interface Start {
  readonly script?: string | undefined
  readonly cwd?: string
  /** npm and the others say their name in it, before a slash. */
  readonly userAgent?: string | undefined
  /** The folder whose packages Yarn runs. */
  readonly yarnProject?: string | undefined
}

/** Where Yarn keeps packages that no `node_modules` of the app has: in archives, or below `.yarn`. */
const yarnsOwn = /\.zip$|[\\/]\.yarn[\\/]/
/** Where `yarn dlx` installs what it fetches. */
const yarnsFetched = /[\\/]dlx-\d+$/

export function calledAs({
  script = process.argv[1],
  cwd = process.cwd(),
  userAgent = process.env.npm_config_user_agent,
  yarnProject = process.env.PROJECT_CWD,
}: Start = {}): string {
  const runner = runners[userAgent?.split('/')[0] ?? ''] ?? npx
  const [above = '', ...below] = (script ?? '').split(/[\\/]node_modules[\\/]/)
  // Of the source tree there is no file called svc: `npm start` runs it by its path.
  if (below.length === 0) return userAgent && basename(above) !== 'svc' ? runner.installed : 'svc'
  if (yarnsOwn.test(above)) return yarnsFetched.test(yarnProject ?? '') ? yarn.fetched : yarn.installed
  // A copy that npx or the like keeps to itself, where `svc` alone would be asked of the registry.
  if (/[\\/](_npx|dlx-?|bunx-)/.test(above)) return runner.fetched
  const app = real(above)
  return `${cwd}${sep}`.startsWith(`${app}${sep}`) ? runner.installed : 'svc'
}

function real(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
