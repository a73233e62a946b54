/** A PostgreSQL server of the user's own, in place of the embedded one. */
import type { DevSettings } from '../../client/protocol/model/project.js'
import { openControl } from '../target/control.js'
import { findProjectFile } from '../target/project-file.js'
import { isCodeAccepted } from '../target/trust.js'
import { type Patient, type Seen, well } from './finding.js'

/** Whether `svc dev` can use it, as the next start would find it. */
export async function checkDatabase(patient: Patient): Promise<Seen> {
  const configured = acceptedSettings()
  const { url = configured?.databaseUrl, directUrl = configured?.databaseListenUrl } = patient.database
  if (url === undefined) return well(await elsewhere(patient))
  const { checkServer } = await import('../../emulator/database/postgres/check.js')
  return checkServer({ url, directUrl, losesNothing: false })
}

/** What `svc.json` names; that of a folder where svc was never used is not asked. Contract 12.4. */
function acceptedSettings(): DevSettings | undefined {
  const file = projectFile()
  return file && isCodeAccepted(file.path) ? file.dev : undefined
}

/** One that is not valid is a finding of the settings. */
function projectFile() {
  try {
    return findProjectFile()
  } catch {
    return undefined
  }
}

async function elsewhere({ emulator }: Patient): Promise<string> {
  const named = projectFile()
  if (named?.dev?.databaseUrl !== undefined) return 'named in svc.json, where svc was not used before; not asked'
  if (emulator?.dataDir === null) {
    const { version } = (await openControl(emulator).info.get()).database
    return `PostgreSQL ${version}, in memory or a server of your own; --database-url looks at that`
  }
  return 'the embedded one'
}
