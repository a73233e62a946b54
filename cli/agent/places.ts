/** Finds the files that tell coding agents about the emulator, and their content with and without our part. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import { isObject } from '../../client/protocol/model/json.js'
import { CliFailure, exits } from '../base/failure.js'
import { editJson } from '../files/edit-json.js'
import { readIfExists } from '../files/read-if-exists.js'
import { detectPackageManager } from '../init/package-manager.js'
import type { PlannedFile } from '../init/plan.js'
import { repositoryRoot } from '../init/repository.js'

/** A file that has a part of ours. */
export interface AgentPlace {
  readonly path: string
  /** Its content now. Undefined if it does not exist. */
  readonly before: string | undefined
  /** Its content with our part. */
  readonly wanted: string
  /** Its content without our part. Undefined if nothing would be left. */
  readonly without: string | undefined
}

const begin = '<!-- svc: begin. Written by svc agent setup. -->'
const end = '<!-- svc: end -->'
const block = /<!-- svc: begin[^\n]*\n[\s\S]*?<!-- svc: end -->\n?/

/** Words in our texts that run `svc` with npm. */
const npmWords = 'npx --no svc'

export interface AgentSetup {
  /** Folder of the package. */
  readonly root: string
  /** Folder of the app. */
  readonly folder: string
  readonly mayWrite: boolean
}

/** Lists the files in the order in which they are shown. */
export function agentPlaces({ root, folder, mayWrite }: AgentSetup): AgentPlace[] {
  const { runInstalled } = detectPackageManager(folder, repositoryRoot(folder))
  const source = join(root, 'templates', 'agents')
  const adapted = (file: string) => readFileSync(join(source, file), 'utf8').replaceAll(npmWords, `${runInstalled} svc`)
  const skills = readdirSync(join(source, 'skills')).sort()
  const clients = clientFiles(folder)
  const command = [...runInstalled.split(' '), 'svc', 'mcp', ...(mayWrite ? ['--allow-writes'] : [])]
  return [
    blockPlace(join(folder, 'AGENTS.md'), `${begin}\n${adapted('AGENTS.md')}${end}\n`),
    ...skillFolders(folder).flatMap((at) =>
      skills.map((name) => wholePlace(join(at, name, 'SKILL.md'), adapted(join('skills', name, 'SKILL.md')))),
    ),
    ...clients.map(({ path, key }) => clientPlace(path, key, command)),
  ]
}

/** Agents of any maker read `.agents`. Claude Code reads `.claude` only. */
function skillFolders(folder: string): string[] {
  const forClaude = ['.claude', 'CLAUDE.md'].some((name) => existsSync(join(folder, name)))
  return [join(folder, '.agents', 'skills'), ...(forClaude ? [join(folder, '.claude', 'skills')] : [])]
}

interface ClientFile {
  readonly path: string
  /** The member that lists the servers. */
  readonly key: 'mcpServers' | 'servers'
}

/** Chooses the files of editors that the app is used with, or `.mcp.json` if there are none. */
function clientFiles(folder: string): ClientFile[] {
  const known = [
    { at: ['.mcp.json', '.claude', 'CLAUDE.md'], file: '.mcp.json', key: 'mcpServers' },
    { at: ['.cursor'], file: join('.cursor', 'mcp.json'), key: 'mcpServers' },
    { at: ['.vscode'], file: join('.vscode', 'mcp.json'), key: 'servers' },
  ] as const
  const used = known.filter(({ at }) => at.some((name) => existsSync(join(folder, name))))
  return (used.length > 0 ? used : known.slice(0, 1)).map(({ file, key }) => ({ path: join(folder, file), key }))
}

function wholePlace(path: string, wanted: string): AgentPlace {
  return { path, before: readIfExists(path), wanted, without: undefined }
}

function blockPlace(path: string, wanted: string): AgentPlace {
  const before = readIfExists(path)
  const without = before?.replace(block, '').replace(/\n\n$/, '\n')
  if (before === undefined) return { path, before, wanted, without: undefined }
  const text = block.test(before)
    ? before.replace(block, () => wanted)
    : `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${before === '' ? '' : '\n'}${wanted}`
  return { path, before, wanted: text, without: without?.trim() ? without : undefined }
}

function clientPlace(path: string, key: string, [command, ...args]: readonly string[]): AgentPlace {
  const before = readIfExists(path)
  const server = { ...(key === 'servers' ? { type: 'stdio' } : {}), command, args }
  if (before === undefined) {
    return { path, before, wanted: `${JSON.stringify({ [key]: { svc: server } }, null, 2)}\n`, without: undefined }
  }
  const content = readJson(path, before)
  const servers = isObject(content[key]) ? content[key] : {}
  const isSame = JSON.stringify(servers.svc) === JSON.stringify(server)
  const isOnlyOurs = Object.keys(content).join() === key && Object.keys(servers).join() === 'svc'
  return {
    path,
    before,
    wanted: isSame ? before : editJson(before, [key, 'svc'], server),
    without: isOnlyOurs ? undefined : editJson(before, [key, 'svc'], undefined),
  }
}

function readJson(path: string, text: string) {
  const errors: ParseError[] = []
  const content: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors.length === 0 && isObject(content)) return content
  throw new CliFailure('BAD_CONFIG', exits.misuse, `${path} is not a JSON object.`, 'Fix it and try again.')
}

/** Plans the files that lack our part, or have an older one. */
export function planSetup(places: readonly AgentPlace[]): PlannedFile[] {
  return places.map(({ path, before, wanted }) => ({
    path,
    content: wanted,
    change: before === undefined ? 'add' : before === wanted ? 'keep' : 'extend',
  }))
}

export type AgentState = 'missing' | 'outdated' | 'current'

/** Tells whether a file has our part, and whether it is that of this version. */
export function detectState({ before, wanted, without }: AgentPlace): AgentState {
  if (before === undefined || before === without) return 'missing'
  return before === wanted ? 'current' : 'outdated'
}
