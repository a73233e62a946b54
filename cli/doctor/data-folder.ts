/** Checks whether the data in the state folder can be opened, who can read it, and for leftover files. */

import { lstatSync, statSync } from 'node:fs'
import { access, chmod, constants, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describeFailure } from '../base/failure.js'
import { nearby } from '../dev/box.js'
import { draftName } from '../files/replace-file.js'
import { shellWord } from '../terminal/shell-word.js'
import { damageFindings } from './damage.js'
import { type Finding, type Patient, type Seen, well } from './finding.js'
import { lookAt, namesIn } from './folder-files.js'

export async function checkDataFolder(patient: Patient): Promise<Seen> {
  const { folder, holder, emulator } = patient
  const found = statSync(folder, { throwIfNoEntry: false })
  if (!found) return well(`${nearby(folder)} does not exist yet; svc dev creates it`)
  if (!found.isDirectory()) return refused(folder, `"${folder}" is a file, not a folder.`)
  const mayWrite = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!mayWrite) return refused(folder, `You cannot read and write "${folder}".`)
  const branches = ownFoldersIn(join(folder, 'branches'))
  const data = await Promise.all([folder, ...branches].map(dataFindings))
  const findings = [...data.flat(), ...damageFindings(patient, branches), ...modeFindings(folder)]
  const leftovers = holder || emulator ? [] : leftoverFindings(folder, branches)
  return { said: nearby(folder), findings: [...findings, ...leftovers] }
}

function refused(folder: string, message: string): Seen {
  const remedy = 'Make it a folder that you own, or choose another one with --data.'
  return { said: nearby(folder), findings: [{ code: 'FOLDER_NOT_WRITABLE', level: 'wrong', message, remedy }] }
}

/** Reports what would keep `svc dev` from opening the data, with its own message. */
async function dataFindings(folder: string): Promise<Finding[]> {
  const { inspectData } = await import('../../emulator/database/pglite/state-folder.js')
  try {
    await inspectData(folder)
    return []
  } catch (error) {
    const { code, message, hint = '' } = describeFailure(error)
    return [{ code, level: 'wrong', message, remedy: hint }]
  }
}

const privateFiles = [
  'emulator.json',
  'branches',
  'requests.log',
  'requests.1.log',
  'keys',
  'data',
  'files',
  'snapshots',
  'errors.log',
  'errors.1.log',
  'dev.log',
]

/** Finds files that other users can read. A copied or unpacked folder may have lost its permissions. */
function modeFindings(folder: string): Finding[] {
  if (process.getuid === undefined) return []
  const look = (name: string) => lookAt(join(folder, name))
  const keys = look('keys')?.isDirectory() ? namesIn(join(folder, 'keys')).map((name) => join('keys', name)) : []
  const all = [...privateFiles, ...keys]
  const below = ['branches', 'files'].flatMap((part) =>
    look(part)?.isDirectory() ? namesIn(join(folder, part)).map((name) => join(part, name)) : [],
  )
  const links = [...all, ...below, ...namesIn(folder).filter(isCopy)].filter((name) => look(name)?.isSymbolicLink())
  const isOpen = (name: string) => ((look(name)?.mode ?? 0) & 0o077) !== 0
  return [
    ...linkFindings(folder, links),
    ...openFindings(
      folder,
      all.filter((one) => !links.includes(one) && isOpen(one)),
    ),
  ]
}

/** Reports links, because one that came with the folder may lead anywhere: contract 12.4. Never changes their targets. */
function linkFindings(folder: string, links: readonly string[]): Finding[] {
  if (links.length === 0) return []
  const message = `Symbolic links in ${nearby(folder)}, with unchecked targets: ${links.join(', ')}.`
  // A start replaces linked logs and keys with new files, but fails on linked folders.
  const areFolders = links.some((name) => /^(data|keys|branches|files)$|^(data|branches|files)[\\/]/.test(name))
  const remedy = areFolders
    ? 'svc dev does not start with linked folders. Remove the links, or replace them with their targets. Only the whole state folder may be a link.'
    : 'If you created them, check who can read their targets.'
  return [{ code: 'LINKS_IN_FOLDER', level: areFolders ? 'wrong' : 'note', message, remedy }]
}

function openFindings(folder: string, open: readonly string[]): Finding[] {
  if (open.length === 0) return []
  const repair = async () => {
    for (const name of open) {
      const path = join(folder, name)
      const found = lstatSync(path)
      if (!found.isSymbolicLink()) await chmod(path, found.isDirectory() ? 0o700 : 0o600)
    }
    return `Made private: ${open.join(', ')}`
  }
  const message = `Other users of this machine can read files in ${nearby(folder)}: ${open.join(', ')}.`
  const remedy = `Make them private: svc doctor --repair, or chmod -R go= ${shellWord(nearby(folder))}`
  return [{ code: 'FOLDER_OPEN_TO_OTHERS', level: 'wrong', message, remedy, repair }]
}

/** Recognizes data that `--fresh` moved aside, and copies from before a repair or an upgrade. */
function isCopy(name: string): boolean {
  return /^data\.(replaced|damaged|version)-/.test(name) && !draft.test(name)
}

/** Matches unfinished files of killed processes. */
const draft =
  /^(data(\.(damaged|version)-.+)?\.new|dev\.\d+\.log|\.writable-.+|(emulator|manifest)\.json\..+|lock\.\d+-.+)$/
const draftOfKeys = /^((control-token|port|project-\w+\.json)\.\d+-\w+|modes\..+)$/
const draftOfFiles = /^opened\..+$/

function leftoverFindings(folder: string, branches: readonly string[]): Finding[] {
  const places = [folder, ...branches]
  const draftsIn = (at: string, pattern: RegExp) => {
    const names = namesIn(at).filter((name) => pattern.test(name) || draftName.test(name))
    return names.map((name) => relative(folder, join(at, name)))
  }
  // Unfinished files of emulator.json, keys and the dashboard opener hold the control token.
  const keys = join(folder, 'keys')
  const left = [
    ...places.flatMap((place) => draftsIn(place, draft)),
    ...(isOwnFolder(keys) ? draftsIn(keys, draftOfKeys) : []),
    ...places.flatMap((place) => ownFoldersIn(join(place, 'files')).flatMap((part) => draftsIn(part, draftOfFiles))),
  ]
  if (left.length === 0) return []
  const repair = async () => {
    for (const name of left) await rm(join(folder, name), { recursive: true, force: true })
    return `Removed ${left.join(', ')}`
  }
  const message = `A killed process left unfinished files: ${left.join(', ')}.`
  return [{ code: 'LEFTOVERS', level: 'note', message, remedy: 'Remove them: svc doctor --repair', repair }]
}

/** Returns the folders inside, without following links. */
function ownFoldersIn(folder: string): string[] {
  if (!isOwnFolder(folder)) return []
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter(isOwnFolder)
}

function isOwnFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() ?? false
}
