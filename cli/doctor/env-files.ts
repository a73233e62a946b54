/** What the app's `.env` files say of the emulator, and what must never stand in them or in git. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { isLoopbackUrl } from '../../client/protocol/model/loopback.js'
import { calledAs } from '../base/called-as.js'
import { stateFolder } from '../target/emulator-file.js'
import { envFile, envFiles, envLine, fillEnvFile, lacksEnvFile, markOwnLines } from '../target/env-file.js'
import { maskKey } from '../target/profiles.js'
import type { Finding, Patient, Seen } from './finding.js'
import { keptKeys, keptPort } from './folder-files.js'

/** What bundlers put into the page. */
const isPublic = /^(VITE_|NEXT_PUBLIC_|EXPO_PUBLIC_|PUBLIC_|REACT_APP_)/

interface Line {
  readonly file: string
  readonly prefix: string
  readonly name: string
  readonly value: string
  /** Whether `svc dev` keeps it up to date. */
  readonly isFilled: boolean
}

export async function checkEnvFiles(patient: Patient): Promise<Seen> {
  const { folder, app } = patient
  if (basename(folder) !== stateFolder) return { said: `none belong to ${basename(folder)}`, findings: [] }
  const lines = envFiles.flatMap((file) => linesOf(app, file))
  const found = [...new Set(lines.map(({ file }) => file))]
  const findings = [
    ...lines.flatMap((line) => secretFinding(line)),
    ...lines.flatMap((line) => addressFinding(line, patient)),
    ...lines.flatMap((line) => keyFinding(line, lines, patient)),
    ...(lacksEnvFile(app) ? [envMissing] : []),
    ...(await gitFindings(app)),
  ]
  return { said: found.length === 0 ? 'none name the service' : found.join(', '), findings }
}

const envMissing: Finding = {
  code: 'ENV_FILE_MISSING',
  level: 'note',
  message: `No .env file names the service: ${envFile} is not in git, so a clone lacks it.`,
  remedy: `Have it written: ${calledAs()} init --yes`,
}

function linesOf(app: string, file: string): Line[] {
  let text: string
  try {
    text = readFileSync(join(app, file), 'utf8')
  } catch {
    return []
  }
  return markOwnLines(text).flatMap(({ line, isOwn }) => {
    const { prefix = '', name = '', value = '' } = envLine.exec(line.trimEnd())?.groups ?? {}
    return name === '' ? [] : [{ file, prefix, name, value, isFilled: isOwn }]
  })
}

function secretFinding({ file, prefix, name, value }: Line): Finding[] {
  if (!isPublic.test(prefix) || !(value.startsWith('svc_secret_') || name === 'SECRET_KEY')) return []
  const message = `${file} gives the secret key to every browser: bundlers put ${prefix}SVC_${name} into the page.`
  const remedy =
    'Put the key that "svc project key" shows there, and draw another secret key where that page was published.'
  return [{ code: 'SECRET_KEY_PUBLIC', level: 'wrong', message, remedy }]
}

/** An address on another machine was chosen; one on this machine is the emulator's, or does not answer. */
function addressFinding({ file, prefix, name, value, isFilled }: Line, patient: Patient): Finding[] {
  const { folder, emulator } = patient
  if (name !== 'URL' || (value !== '' && !isLoopbackUrl(value))) return []
  const port = keptPort(folder)
  const url = emulator?.url ?? (port === undefined ? undefined : `http://127.0.0.1:${port}`)
  if (url === undefined || isSamePlace(value, url)) return []
  const message = `${prefix}SVC_URL in ${file} says "${value}", and the emulator of this folder is at ${url}.`
  return [
    {
      code: 'ENV_URL_DIFFERS',
      level: 'wrong',
      message,
      ...filling(`Write: ${prefix}SVC_URL=${url}`, { file, isFilled }, patient),
    },
  ]
}

/** A key for another machine is not this folder's affair. */
function keyFinding(line: Line, all: readonly Line[], patient: Patient): Finding[] {
  const { file, prefix, name, value, isFilled } = line
  if (name !== 'API_KEY' || value.startsWith('svc_secret_')) return []
  const url = all.find((other) => other.file === file && other.prefix === prefix && other.name === 'URL')?.value
  if (url !== undefined && url !== '' && !isLoopbackUrl(url)) return []
  const [first, ...others] = [
    ...(patient.emulator ? [patient.emulator.apiKey] : []),
    ...(keptKeys(patient.folder) ?? []),
  ]
  if (first === undefined || [first, ...others].includes(value)) return []
  const given = value === '' ? 'is empty' : `says ${maskKey(value)}, which is not a key of this folder`
  const message = `${prefix}SVC_API_KEY in ${file} ${given}.`
  const remedy = `Write the key after ${prefix}SVC_API_KEY= that this shows: svc status --env`
  return [{ code: 'ENV_KEY_DIFFERS', level: 'wrong', message, ...filling(remedy, { file, isFilled }, patient) }]
}

/** The lines of `svc dev` are filled by it; others are their owner's, who is told how. */
function filling(
  byHand: string,
  { file, isFilled }: Pick<Line, 'file' | 'isFilled'>,
  { folder, emulator }: Patient,
): Pick<Finding, 'remedy' | 'repair'> {
  if (file !== envFile || !isFilled) return { remedy: byHand }
  if (!emulator) return { remedy: `Start the emulator, which fills its lines in ${envFile}: svc dev` }
  const repair = async () => {
    await fillEnvFile(folder, emulator)
    return `Filled the lines of svc dev in ${envFile}`
  }
  return { remedy: 'Have it filled: svc doctor --repair', repair }
}

/** By port, since one machine has several names. */
function isSamePlace(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).port === new URL(other).port
}

/** What git keeps is in every clone. */
async function gitFindings(app: string): Promise<Finding[]> {
  const { exitCode, stdout } = await execa('git', ['ls-files', '--', stateFolder, envFile], { cwd: app, reject: false })
  if (exitCode !== 0 || stdout === '') return []
  const kept = [...new Set(stdout.split('\n').map((path) => (path.startsWith(`${stateFolder}/`) ? stateFolder : path)))]
  const message = `git keeps ${kept.join(' and ')}: anyone with the repository has the keys.`
  const remedy = `git rm -r --cached ${kept.join(' ')}, and add them to .gitignore. svc dev --new-token draws another control token.`
  return [{ code: 'KEYS_IN_GIT', level: 'wrong', message, remedy }]
}
