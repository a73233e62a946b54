/** Snapshots on their way to and from files of this machine, or from one emulator to another; never whole in memory. */
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
  place: Place,
  name: string,
  { file, withSecrets, isReplacing }: { file: string; withSecrets: boolean; isReplacing: boolean },
): Promise<number> {
  const answer = await openSnapshot(place, name, withSecrets)
  let bytes = 0
  const onBytes = (more: number) => {
    bytes += more
  }
  // What it holds opens accounts.
  await writeLocalFile(file, answer, { isReplacing, onBytes, mode: 0o600 })
  return bytes
}

/** Hands a file to the emulator, which checks it before it takes it. @throws {SvcError} such as `INVALID_SNAPSHOT` */
export async function importSnapshot(place: Place, file: string, name: string | undefined): Promise<Snapshot> {
  return sendSnapshot(place, { body: await openLocalFile(file) }, name)
}

/** A snapshot of one emulator becomes one of another, its secrets included. @throws {SvcError} whatever either answers */
export async function copySnapshot(from: Place, name: string, to: Place): Promise<Snapshot> {
  const { body } = await openSnapshot(from, name, true)
  // A body that is still on its way has to be said to be one.
  const content = { body, duplex: 'half' }
  return sendSnapshot(to, content, undefined)
}

async function openSnapshot(
  { url, controlToken, projectId }: Place,
  name: string,
  withSecrets: boolean,
): Promise<Response> {
  const address = `${url}${controlPath}/projects/${segment(projectId)}/snapshots/${segment(name)}/file?secrets=${withSecrets}`
  return accepted(url, await fetchDirectly(address, { headers: { 'svc-control-token': controlToken } }))
}

async function sendSnapshot(
  { url, controlToken, projectId }: Place,
  content: RequestInit,
  name: string | undefined,
): Promise<Snapshot> {
  const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`
  const address = `${url}${controlPath}/projects/${segment(projectId)}/snapshot-file${query}`
  const headers = { 'svc-control-token': controlToken, 'content-type': 'application/x-tar' }
  const answer = await fetchDirectly(address, { method: 'POST', headers, ...content })
  return (await accepted(url, answer)).json() as Promise<Snapshot>
}
