/** Checks the app's `.env` files for wrong addresses and keys, and for secrets in them or in git. */
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

/** Prefixes of variables that bundlers put into the page. */
const publicPrefix = /^(VITE_|NEXT_PUBLIC_|EXPO_PUBLIC_|PUBLIC_|REACT_APP_)/

interface Line {
  readonly file: string
  readonly prefix: string
  readonly name: string
  readonly value: string
  /** Whether `svc dev` updates it. */
  readonly isFilled: boolean
}

export async function checkEnvFiles(patient: Patient): Promise<Seen> {
  const { folder, app } = patient
  if (basename(folder) !== stateFolder) return { said: `none for ${basename(folder)}`, findings: [] }
  const lines = envFiles.flatMap((file) => readLines(app, file))
  const found = [...new Set(lines.map(({ file }) => file))]
  const findings = [
    ...lines.flatMap((line) => secretFinding(line)),
    ...lines.flatMap((line) => addressFinding(line, patient)),
    ...lines.flatMap((line) => keyFinding(line, lines, patient)),
    ...(lacksEnvFile(app) ? [envMissing] : []),
    ...(await gitFindings(app)),
  ]
  return { said: found.length === 0 ? 'none with the address of the service' : found.join(', '), findings }
}

const envMissing: Finding = {
  code: 'ENV_FILE_MISSING',
  level: 'note',
  message: `No .env file has the address of the service. ${envFile} is not in git, so a clone lacks it.`,
  remedy: `Create it: ${calledAs()} init --yes`,
}

function readLines(app: string, file: string): Line[] {
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
  if (!publicPrefix.test(prefix) || !(value.startsWith('svc_secret_') || name === 'SECRET_KEY')) return []
  const message = `${file} exposes the secret key to every browser, because bundlers put ${prefix}SVC_${name} into the page.`
  const remedy =
    'Use the public key instead: svc project key. If the page was published, create another secret key and revoke this one.'
  return [{ code: 'SECRET_KEY_PUBLIC', level: 'wrong', message, remedy }]
}

/** Skips addresses of other machines, which are set on purpose. An address on this machine should be the emulator's. */
function addressFinding({ file, prefix, name, value, isFilled }: Line, patient: Patient): Finding[] {
  const { folder, emulator } = patient
  if (name !== 'URL' || (value !== '' && !isLoopbackUrl(value))) return []
  const port = keptPort(folder)
  const url = emulator?.url ?? (port === undefined ? undefined : `http://127.0.0.1:${port}`)
  if (url === undefined || isSamePlace(value, url)) return []
  const message = `${prefix}SVC_URL in ${file} is "${value}", but the emulator of this folder is at ${url}.`
  return [
    {
      code: 'ENV_URL_DIFFERS',
      level: 'wrong',
      message,
      ...filling(`Set ${prefix}SVC_URL=${url}`, { file, isFilled }, patient),
    },
  ]
}

/** Skips keys for services on other machines. */
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
  const given = value === '' ? 'is empty' : `is ${maskKey(value)}, which is not a key of this folder`
  const message = `${prefix}SVC_API_KEY in ${file} ${given}.`
  const remedy = `Set ${prefix}SVC_API_KEY to the key that this prints: svc status --env`
  return [{ code: 'ENV_KEY_DIFFERS', level: 'wrong', message, ...filling(remedy, { file, isFilled }, patient) }]
}

/** Offers a repair for the lines that `svc dev` fills, and instructions for all others. */
function filling(
  byHand: string,
  { file, isFilled }: Pick<Line, 'file' | 'isFilled'>,
  { folder, emulator }: Patient,
): Pick<Finding, 'remedy' | 'repair'> {
  if (file !== envFile || !isFilled) return { remedy: byHand }
  if (!emulator) return { remedy: `Start the emulator to update ${envFile}: svc dev` }
  const repair = async () => {
    await fillEnvFile(folder, emulator)
    return `Updated ${envFile}`
  }
  return { remedy: 'Update it: svc doctor --repair', repair }
}

/** Compares ports only, because a machine has several names. */
function isSamePlace(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).port === new URL(other).port
}

/** Finds keys in git, which every clone would have. */
async function gitFindings(app: string): Promise<Finding[]> {
  const { exitCode, stdout } = await execa('git', ['ls-files', '--', stateFolder, envFile], { cwd: app, reject: false })
  if (exitCode !== 0 || stdout === '') return []
  const kept = [...new Set(stdout.split('\n').map((path) => (path.startsWith(`${stateFolder}/`) ? stateFolder : path)))]
  const message = `git tracks ${kept.join(' and ')}, so anyone with the repository has the keys.`
  const remedy = `Run git rm -r --cached ${kept.join(' ')}, and add them to .gitignore. Then create a new control token: svc dev --new-token`
  return [{ code: 'KEYS_IN_GIT', level: 'wrong', message, remedy }]
}
