/** The same configuration in the other form. */
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SvcConfig } from '../../client/protocol/model/project.js'
import { CliFailure, exits } from '../base/failure.js'
import { requireNoLink } from '../target/no-link.js'
import type { ProjectFile } from '../target/project-file.js'
import type { FolderConfig } from './folder-config.js'
import { codeFiles } from './run-config.js'

interface Saved {
  readonly path: string
  readonly from: string
}

/** Writes what the code says into a `svc.json` beside it. @throws {CliFailure} where there is one, or no code */
export async function saveAsJson({ path, isCode, config }: FolderConfig): Promise<Saved> {
  if (!isCode || path === undefined) {
    const message = 'This folder has no svc.config.ts.'
    throw new CliFailure('NO_FILE', exits.notFound, message, 'The other way round: svc config convert')
  }
  return { path: await writeBeside(path, 'svc.json', `${JSON.stringify(config, null, 2)}\n`), from: path }
}

interface Converted extends Saved {
  /** Whether `svc.json` stays, since commands read where to go from there. */
  readonly isKept: boolean
}

/** Moves what `svc.json` says of `svc dev` into a `svc.config.ts` beside it. @throws {CliFailure} where there is one */
export async function convertToCode({ path: from, dev, settings, ...forCommands }: ProjectFile): Promise<Converted> {
  const there = codeFiles.find((name) => existsSync(join(dirname(from), name)))
  if (there !== undefined) throw isThere(join(dirname(from), there))
  const path = await writeBeside(from, 'svc.config.ts', codeOf({ dev, settings }))
  const isKept = Object.keys(forCommands).length > 0
  requireNoLink(from, dirname(from))
  if (isKept) await writeFile(from, `${JSON.stringify(forCommands, null, 2)}\n`)
  else await rm(from)
  return { path, from, isKept }
}

async function writeBeside(file: string, name: string, text: string): Promise<string> {
  const path = join(dirname(file), name)
  await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? isThere(path) : error
  })
  return path
}

function isThere(path: string): CliFailure {
  return new CliFailure('EXISTS', exits.invalid, `${path} already exists.`, 'Move it away first.')
}

/** Names without quotes, as people write them. */
function codeOf(config: SvcConfig): string {
  const literal = JSON.stringify(config, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
  return `import type { SvcConfig } from 'svc-toolkit/emulator'\n\nexport default ${literal} satisfies SvcConfig\n`
}
