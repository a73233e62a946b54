/** Snapshots on their way to and from files of this machine; never whole in memory. */

import { controlPath } from '../../client/protocol/control/operations.js'
import type { Snapshot } from '../../client/protocol/control/snapshots.js'
import { segment } from '../../client/protocol/wire/paths/encode.js'
import { accepted } from '../../client/send.js'
import { openLocalFile, writeLocalFile } from '../files/local-files.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { fetchDirectly } from '../target/fetch-directly.js'

type Place = Pick<EmulatorInfo, 'url' | 'controlToken' | 'projectId'>

/** Writes a snapshot to a file, which is complete or not there. @throws {SvcError} whatever the emulator answers */
export async function exportSnapshot(
  { url, controlToken, projectId }: Place,
  name: string,
  { file, withSecrets, isReplacing }: { file: string; withSecrets: boolean; isReplacing: boolean },
): Promise<number> {
  const address = `${url}${controlPath}/projects/${segment(projectId)}/snapshots/${segment(name)}/file?secrets=${withSecrets}`
  const answer = await fetchDirectly(address, { headers: { 'svc-control-token': controlToken } })
  let bytes = 0
  const onBytes = (more: number) => {
    bytes += more
  }
  await writeLocalFile(file, await accepted(url, answer), { isReplacing, onBytes })
  return bytes
}

/** Hands a file to the emulator, which checks it before it takes it. @throws {SvcError} such as `INVALID_SNAPSHOT` */
export async function importSnapshot(
  { url, controlToken, projectId }: Place,
  file: string,
  name: string | undefined,
): Promise<Snapshot> {
  const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`
  const address = `${url}${controlPath}/projects/${segment(projectId)}/snapshot-file${query}`
  const headers = { 'svc-control-token': controlToken, 'content-type': 'application/x-tar' }
  const answer = await fetchDirectly(address, { method: 'POST', headers, body: await openLocalFile(file) })
  return (await accepted(url, answer)).json() as Promise<Snapshot>
}
