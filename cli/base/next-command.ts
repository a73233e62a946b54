import type { Failure } from './failure.js'

/** Matches a command in a hint, up to the end of its line or sentence. */
const command = /(?:^|[\s(:])((?:npx |pnpm exec |yarn |bunx --no-install )?svc [a-z][^\n]*?)(?=\.?$|\. |\)|, |; )/m

/** Matches what the user would have to fill in: `…`, `<id>` or a word in capitals. */
const placeholder = /[…<>]|(?<=[ =])[A-Z]{2,}(?= |$)/

/** Commands that help if the hint names none. */
const byCode: Readonly<Record<string, string>> = {
  NOT_RUNNING: 'svc dev --detach',
  NETWORK: 'svc doctor',
  TIMEOUT: 'svc status',
  UNAUTHORIZED: 'svc whoami',
  FORBIDDEN: 'svc requests show --why',
  VALIDATION_ERROR: 'svc requests show --why',
  NOT_FOUND: 'svc collections list',
}

/** Returns a command to run next: the one in the hint, or one that fits the code, or the help. Can be typed as it is. */
export function nextCommand({ hint, code }: Pick<Failure, 'hint' | 'code'>, id = ''): string {
  const hinted = hint === undefined ? undefined : command.exec(hint)?.[1]
  if (hinted !== undefined && !placeholder.test(hinted)) return hinted
  return byCode[code] ?? `svc ${id.replaceAll(':', ' ')} --help`.replace('svc  ', 'svc ')
}
