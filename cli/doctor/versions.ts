import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { type Finding, type Patient, type Seen, well } from './finding.js'

/** The same version as `engines` in package.json. */
const minNode = [20, 19] as const

export function checkNode(version = process.versions.node): Seen {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > minNode[0] || (major === minNode[0] && minor >= minNode[1])
  if (isEnough) return well(version)
  const least = minNode.join('.')
  const message = `Node ${version} is too old: svc needs ${least} or later.`
  return {
    said: version,
    findings: [
      { code: 'NODE_TOO_OLD', level: 'wrong', message, remedy: 'Install the current LTS: https://nodejs.org' },
    ],
  }
}

const packages = ['svc-toolkit', 'svc-toolkit-client']

/** Compares the versions of the running emulator, this command, and the packages of the app. */
export function checkVersions({ app, version, emulator }: Patient): Seen {
  const installed = packages.flatMap((name): Finding[] => {
    const found = installedVersion(app, name)
    if (found === undefined || found === version) return []
    const message = `The app has ${name} ${found}, but this is svc ${version}.`
    return [{ code: 'VERSION_DIFFERS', level: 'note', message, remedy: `npm install ${name}@${version}` }]
  })
  const running = emulator?.version
  if (running === undefined || running === version) return { said: `svc ${version}`, findings: installed }
  const older: Finding = {
    code: 'EMULATOR_VERSION_DIFFERS',
    level: 'wrong',
    message: `The running emulator is svc ${running}, but this is svc ${version}.`,
    remedy: 'Restart it: svc stop, then svc dev',
  }
  return { said: `svc ${version}, emulator ${running}`, findings: [older, ...installed] }
}

function installedVersion(app: string, name: string): string | undefined {
  try {
    const manifest = parseJson(readFileSync(join(app, 'node_modules', name, 'package.json'), 'utf8'))
    return isObject(manifest) && typeof manifest.version === 'string' ? manifest.version : undefined
  } catch {
    return undefined
  }
}
