/** Finds out how the user runs `svc`, because only a global installation is found by its name. */
import { realpathSync } from 'node:fs'
import { basename, sep } from 'node:path'

interface Runner {
  readonly installed: string
  /** The command that fetches the package. `svc` alone is an unrelated package in the registry. */
  readonly fetched: string
}

const npx: Runner = { installed: 'npx svc', fetched: 'npx svc-toolkit' }
const yarn: Runner = { installed: 'yarn svc', fetched: 'yarn dlx svc-toolkit' }
const runners: Readonly<Record<string, Runner>> = {
  pnpm: { installed: 'pnpm exec svc', fetched: 'pnpm dlx svc-toolkit' },
  yarn,
  // Without the flag, it would run a package from the registry without asking.
  bun: { installed: 'bunx --no-install svc', fetched: 'bunx svc-toolkit' },
}

interface Start {
  readonly script?: string | undefined
  readonly cwd?: string
  /** Starts with the name of the package manager and a slash. */
  readonly userAgent?: string | undefined
  /** The folder whose packages Yarn runs. */
  readonly yarnProject?: string | undefined
}

/** Matches packages that Yarn keeps in archives or below `.yarn` instead of `node_modules`. */
const yarnsOwn = /\.zip$|[\\/]\.yarn[\\/]/
/** Matches the folders of `yarn dlx`. */
const yarnsFetched = /[\\/]dlx-\d+$/

export function calledAs({
  script = process.argv[1],
  cwd = process.cwd(),
  userAgent = process.env.npm_config_user_agent,
  yarnProject = process.env.PROJECT_CWD,
}: Start = {}): string {
  const runner = runners[userAgent?.split('/')[0] ?? ''] ?? npx
  const [above = '', ...below] = (script ?? '').split(/[\\/]node_modules[\\/]/)
  // The source tree has no file called svc, because `npm start` runs it by its path.
  if (below.length === 0) return userAgent && basename(above) !== 'svc' ? runner.installed : 'svc'
  if (yarnsOwn.test(above)) return yarnsFetched.test(yarnProject ?? '') ? yarn.fetched : yarn.installed
  // npx and others cache a copy, which `svc` alone would not find.
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
