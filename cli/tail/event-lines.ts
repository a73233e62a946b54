/** Formats events of the emulator: time, kind and details on one line, then the changed fields of documents. */
import { changeKinds } from '../../client/protocol/model/change.js'
import type { EmulatorEvent, EventGroup } from '../../client/protocol/model/events/emulator-event.js'
import { formatBytes } from '../../client/protocol/model/figures.js'
import { onStdout } from '../terminal/colour.js'
import { counted } from '../terminal/print.js'
import { printable } from '../terminal/text-width.js'
import { fieldLines } from './change-lines.js'

type Colour = (text: string) => string

const colours: { readonly [Group in EventGroup]: Colour } = {
  document: onStdout.cyan,
  collection: onStdout.cyan,
  user: onStdout.magenta,
  login: onStdout.magenta,
  file: onStdout.blue,
  mail: onStdout.blue,
  request: onStdout.red,
  connection: onStdout.green,
  fault: onStdout.red,
  clock: onStdout.yellow,
  snapshot: onStdout.yellow,
  project: onStdout.yellow,
  stream: onStdout.yellow,
}

const kindColumns = 'connection.unsubscribed'.length

/** Uses the time zone of this machine. */
export function eventLines(event: EmulatorEvent): string {
  const time = onStdout.dim(new Date(event.at).toTimeString().slice(0, 8))
  const kind = printable(event.kind).padEnd(kindColumns)
  const words = describeEvent(event).map((word) => printable(word))
  const head = `${time}  ${colours[findGroup(event)](kind)}  ${words.join('  ')}`
  return [head, ...documentLines(event)].join('\n')
}

function findGroup({ kind }: EmulatorEvent): EventGroup {
  return kind.slice(0, kind.indexOf('.')) as EventGroup
}

function describeEvent(event: EmulatorEvent): string[] {
  if ('document' in event) return [event.document.collection, event.document.id, `version ${event.document.version}`]
  if ('collection' in event) return [event.collection.name]
  if ('user' in event) return given([event.user.email, ...event.user.what, event.user.id])
  if ('login' in event) return given([event.login.email ?? event.login.user, event.login.why])
  if ('file' in event) return given([event.file.name ?? event.file.id, event.file.size && formatBytes(event.file.size)])
  if ('mail' in event) return given([event.mail.to, event.mail.subject, event.mail.why])
  if ('request' in event) return requestWords(event.request)
  if ('connection' in event) return connectionWords(event.connection)
  if ('fault' in event) return given([event.fault.kind, event.fault.method, event.fault.path, event.fault.id])
  if ('clock' in event) return [event.clock.now]
  if ('snapshot' in event) return [event.snapshot.name]
  if ('project' in event) return [event.project.name, ...event.project.what]
  return streamWords(event.stream)
}

type RequestDetails = Extract<EmulatorEvent, { request: object }>['request']
type ConnectionDetails = Extract<EmulatorEvent, { connection: object }>['connection']
type StreamDetails = Extract<EmulatorEvent, { stream: object }>['stream']

function requestWords({ method, path, status, code, message }: RequestDetails): string[] {
  return given([`${method} ${path}`, status === null ? 'no answer' : String(status), code, message])
}

function connectionWords({ id, transport, who, collection, why }: ConnectionDetails): string[] {
  return given([transport, who, collection, why, id])
}

function streamWords({ missed }: StreamDetails): string[] {
  return [missed === null ? 'Some events were missed.' : `${counted(missed, 'event')} missed.`]
}

function given(words: readonly (string | null | 0)[]): string[] {
  return words.filter((word) => typeof word === 'string')
}

function documentLines(event: EmulatorEvent): string[] {
  if (!('document' in event)) return []
  const { data, before } = event.document
  const kind = changeKinds.find((one) => event.kind === `document.${one}`)
  return data === null || kind === undefined ? [] : fieldLines(kind, data, before ?? undefined)
}
