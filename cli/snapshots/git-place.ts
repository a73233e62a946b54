/** Reads the git branch and commit of the current folder. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface GitPlace {
  readonly branch?: string
  readonly commit?: string
}

const run = promisify(execFile)

/** Returns the branch and commit. Empty without a repository, a commit, or git. */
export async function gitPlace(folder: string = process.cwd()): Promise<GitPlace> {
  const [commit, branch] = await Promise.all([
    runGit(folder, ['rev-parse', '--short=12', 'HEAD']),
    runGit(folder, ['symbolic-ref', '--short', '--quiet', 'HEAD']),
  ])
  return { ...(branch ? { branch } : {}), ...(commit ? { commit } : {}) }
}

/** Takes no locks, so the repository and its index stay unchanged. */
async function runGit(folder: string, words: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', ['--no-optional-locks', ...words], { cwd: folder, timeout: 2_000 })
    return stdout.trim() || undefined
  } catch {
    return undefined
  }
}
