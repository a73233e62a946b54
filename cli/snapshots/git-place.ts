/** Where the source code of the folder is, as git says it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface GitPlace {
  readonly branch?: string
  readonly commit?: string
}

const run = promisify(execFile)

/** The branch and the commit; nothing where there is no repository, no commit yet, or no git. */
export async function gitPlace(folder: string = process.cwd()): Promise<GitPlace> {
  const [commit, branch] = await Promise.all([
    say(folder, ['rev-parse', '--short=12', 'HEAD']),
    say(folder, ['symbolic-ref', '--short', '--quiet', 'HEAD']),
  ])
  return { ...(branch ? { branch } : {}), ...(commit ? { commit } : {}) }
}

/** What is asked changes nothing, not even the index of the repository. */
async function say(folder: string, words: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', ['--no-optional-locks', ...words], { cwd: folder, timeout: 2_000 })
    return stdout.trim() || undefined
  } catch {
    return undefined
  }
}
