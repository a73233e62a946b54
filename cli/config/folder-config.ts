/** What says in a folder how `svc dev` and `svc exec` run there: `svc.config.ts` where there is one, else `svc.json`. */
import { basename, dirname, join } from 'node:path'
import type { SvcConfig } from '../../client/protocol/model/project.js'
import { findProjectFile, type ProjectFile } from '../target/project-file.js'
import { acceptCode, codeNotAccepted, isCodeAccepted } from '../target/trust.js'
import { findCodeFile, runConfigFile } from './run-config.js'

export interface FolderConfig {
  /** Whether it is code, rather than data. */
  readonly isCode: boolean
  /** Undefined where no file says anything. */
  readonly path: string | undefined
  readonly config: SvcConfig
  /** Reads the file again. @throws {CliFailure} saying what is wrong with it */
  read(): Promise<SvcConfig>
}

/**
 * Settings of others can open files and run code, so they count only where svc was used before, or after `ask` has resolved.
 *
 * @throws {CliFailure} with exit 3 where they were never accepted and no prompt can be shown.
 */
export async function openFolderConfig(ask: ((question: string) => Promise<void>) | undefined): Promise<FolderConfig> {
  const path = fileToAccept()
  if (path === undefined) return { isCode: false, path: findProjectFile()?.path, config: {}, read: readJson }
  await requireAccepted(path, ask)
  const isCode = path !== findProjectFile()?.path
  const read = isCode ? () => runConfigFile(path) : readJson
  return { isCode, path, config: await read(), read }
}

/** The file that says how the emulator runs here; undefined where none says anything. Nothing of it is run. */
export function fileToAccept(): string | undefined {
  const code = findCodeFile()
  const json = findProjectFile()
  if (code !== undefined && (!json || dirname(code).length >= dirname(json.path).length)) return code
  return json?.dev || json?.settings ? json.path : undefined
}

async function readJson(): Promise<SvcConfig> {
  const { path: _, ...config }: Partial<ProjectFile> = findProjectFile() ?? {}
  return config
}

async function requireAccepted(path: string, ask: ((question: string) => Promise<void>) | undefined): Promise<void> {
  if (isCodeAccepted(path)) return
  if (!ask) throw codeNotAccepted(path)
  await ask(`${basename(path)} says how the emulator runs in ${dirname(path)}, where svc was not used before. Use it?`)
  await acceptCode(path)
}

/** From the first start in a folder on, what comes into it is its user's affair. */
export async function rememberFolder(folder: string): Promise<void> {
  const file = join(folder, 'svc.json')
  if (!isCodeAccepted(file)) await acceptCode(file)
}
