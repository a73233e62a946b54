/** Reads from `svc.json` how `svc dev` and `svc exec` run in a folder. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SvcConfig } from '../../client/protocol/model/project.js'
import { CliFailure, exits } from '../base/failure.js'
import { findProjectFile, type ProjectFile } from '../target/project-file.js'
import { codeNotAccepted, isCodeAccepted, rememberCode } from '../target/trust.js'

export interface FolderConfig {
  /** Undefined without a `svc.json`. */
  readonly path: string | undefined
  readonly config: SvcConfig
}

/**
 * Settings from a stranger's repository can open folders and databases, so they count only if svc was used here before, or after
 * `ask` has resolved.
 *
 * @throws {CliFailure} with exit 3 if they were never accepted and no prompt can be shown.
 */
export async function openFolderConfig(ask: ((question: string) => Promise<void>) | undefined): Promise<FolderConfig> {
  refuseCode()
  const path = fileToAccept()
  if (path !== undefined) await requireAccepted(path, ask)
  return { path: findProjectFile()?.path, config: readFolderConfig() }
}

/** Returns the `svc.json` if it has settings of the emulator, which the user must accept. */
export function fileToAccept(): string | undefined {
  const file = findProjectFile()
  return file?.dev || file?.settings ? file.path : undefined
}

/** @throws {CliFailure} if the file cannot be read */
export function readFolderConfig(): SvcConfig {
  const { path: _, ...config }: Partial<ProjectFile> = findProjectFile() ?? {}
  return config
}

/** Ignoring the file would start the emulator without the settings that its author expects. */
function refuseCode(): void {
  const found = ['svc.config.ts', 'svc.config.mts', 'svc.config.js', 'svc.config.mjs'].find((name) => existsSync(name))
  if (found === undefined) return
  throw new CliFailure('BAD_CONFIG', exits.misuse, `${found} is not supported.`, 'Move its settings to svc.json.')
}

async function requireAccepted(path: string, ask: ((question: string) => Promise<void>) | undefined): Promise<void> {
  if (isCodeAccepted(path)) return
  if (!ask) throw codeNotAccepted(path)
  await ask(`svc.json configures the emulator in ${dirname(path)}, where svc was not used before. Use it?`)
  await rememberCode(path)
}

/** Trusts the folder after its first start, because the user chose to run svc there. */
export async function rememberFolder(folder: string): Promise<void> {
  const file = join(folder, 'svc.json')
  if (!isCodeAccepted(file)) await rememberCode(file)
}
