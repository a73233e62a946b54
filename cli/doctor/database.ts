/** Checks a PostgreSQL server that the user runs instead of the embedded one. */
import type { DevSettings } from '../../client/protocol/model/project.js'
import { openControl } from '../target/control.js'
import { findProjectFile } from '../target/project-file.js'
import { isCodeAccepted } from '../target/trust.js'
import { type Patient, type Seen, well } from './finding.js'

/** Checks whether the next `svc dev` can use the server. */
export async function checkDatabase(patient: Patient): Promise<Seen> {
  const configured = acceptedSettings()
  const { url = configured?.databaseUrl, directUrl = configured?.databaseListenUrl } = patient.database
  if (url === undefined) return well(await elsewhere(patient))
  const { checkServer } = await import('../../emulator/database/postgres/check.js')
  return checkServer({ url, directUrl, losesNothing: false })
}

/** Reads the server from `svc.json`, unless svc was never used in the folder. Contract 12.4. */
function acceptedSettings(): DevSettings | undefined {
  const file = projectFile()
  return file && isCodeAccepted(file.path) ? file.dev : undefined
}

/** Ignores an invalid file, because the check of the settings reports it. */
function projectFile() {
  try {
    return findProjectFile()
  } catch {
    return undefined
  }
}

async function elsewhere({ emulator }: Patient): Promise<string> {
  const named = projectFile()
  if (named?.dev?.databaseUrl !== undefined)
    return 'named in svc.json; not checked, because svc was not used here before'
  if (emulator?.dataDir === null) {
    const { version } = (await openControl(emulator).info.get()).database
    return `PostgreSQL ${version}, in memory or on your own server; check that with --database-url`
  }
  return 'embedded'
}
