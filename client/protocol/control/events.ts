import { z } from 'zod'
import { type EmulatorEvent, type EventGroup, eventGroups } from '../model/events/emulator-event.js'
import { anyFields, counted, type OperationsOf } from './operation.js'
import type { operations } from './operations.js'

/** Details of an event, by group. */
const details = {
  document: z.strictObject({
    seq: z.int().describe('Sequence number of the change in its project.'),
    collection: z.string().describe('Name of the collection, or its id if deleted.'),
    id: z.string(),
    version: z.int(),
    data: anyFields.nullable().describe('Data after the change, or before a deletion. null if over 64 KB.'),
    before: anyFields.nullable().describe('Previous values of the fields that an update changed.'),
  }),
  collection: z.strictObject({ id: z.string(), name: z.string() }),
  user: z.strictObject({
    id: z.string(),
    email: z.string().nullable(),
    what: z.array(z.string()).describe('Changed parts of the user.'),
  }),
  login: z.strictObject({
    user: z.string().nullable().describe('null if unknown, for example for an unknown address.'),
    email: z.string().nullable(),
    why: z.string().nullable().describe('Reason why a login failed.'),
  }),
  file: z.strictObject({ id: z.string(), name: z.string().nullable(), size: z.int().nullable() }),
  mail: z.strictObject({
    id: z.string(),
    to: z.string(),
    subject: z.string(),
    why: z.string().nullable().describe('Reason why it was not sent.'),
  }),
  request: z.strictObject({
    id: z.string().describe('As in `x-request-id`.'),
    method: z.string(),
    path: z.string().describe('Path with query. Secrets are masked.'),
    status: z.int().nullable().describe('null without a response.'),
    code: z.string().nullable(),
    message: z.string().nullable(),
    milliseconds: z.number(),
  }),
  connection: z.strictObject({
    id: z.string(),
    transport: z.enum(['websocket', 'sse']),
    who: z.string().describe('A key or a user by id, or nobody.'),
    collection: z.string().nullable().describe('Collection of a subscription.'),
    why: z.string().nullable().describe('Reason why it was refused or closed.'),
  }),
  fault: z.strictObject({
    id: z.string(),
    kind: z.string(),
    method: z.string().nullable(),
    path: z.string().nullable().describe('Paths it applies to; null for all.'),
  }),
  clock: z.strictObject({ now: z.string(), offset: z.int() }),
  snapshot: z.strictObject({ name: z.string() }),
  project: z.strictObject({
    name: z.string(),
    what: z.array(z.string()).describe('Changed settings, or parts emptied by a reset.'),
  }),
  stream: z.strictObject({ missed: z.int().nullable().describe('Number of missed events; null if unknown.') }),
} satisfies Record<EventGroup, z.ZodType>

const groups = Object.keys(eventGroups) as EventGroup[]

const head = {
  id: z.string().describe('Resumes the stream after this event.'),
  at: z.string().describe('Time of the event, by the system clock.'),
  projectId: z.string().nullable().describe('null if it does not belong to a project.'),
}

const kind = <Group extends EventGroup, const Name extends string>(group: Group, names: readonly Name[]) =>
  z.templateLiteral([group, '.', z.enum(names)])

const event: z.ZodType<EmulatorEvent> = z.union([
  z.strictObject({ ...head, kind: kind('document', eventGroups.document), document: details.document }),
  z.strictObject({ ...head, kind: kind('collection', eventGroups.collection), collection: details.collection }),
  z.strictObject({ ...head, kind: kind('user', eventGroups.user), user: details.user }),
  z.strictObject({ ...head, kind: kind('login', eventGroups.login), login: details.login }),
  z.strictObject({ ...head, kind: kind('file', eventGroups.file), file: details.file }),
  z.strictObject({ ...head, kind: kind('mail', eventGroups.mail), mail: details.mail }),
  z.strictObject({ ...head, kind: kind('request', eventGroups.request), request: details.request }),
  z.strictObject({ ...head, kind: kind('connection', eventGroups.connection), connection: details.connection }),
  z.strictObject({ ...head, kind: kind('fault', eventGroups.fault), fault: details.fault }),
  z.strictObject({ ...head, kind: kind('clock', eventGroups.clock), clock: details.clock }),
  z.strictObject({ ...head, kind: kind('snapshot', eventGroups.snapshot), snapshot: details.snapshot }),
  z.strictObject({ ...head, kind: kind('project', eventGroups.project), project: details.project }),
  z.strictObject({ ...head, kind: kind('stream', eventGroups.stream), stream: details.stream }),
])

/** Valid values of `kinds`: groups and kinds. */
const names = [...groups, ...groups.flatMap((group) => eventGroups[group].map((name) => `${group}.${name}`))]
const isKinds = (text: string) => text.split(',').every((name) => names.includes(name))

/** One stream of all events. Contract 11. */
export const events = {
  stream: {
    summary: 'Stream what happens in the emulator: documents, users, logins, files, mails, refused requests and more.',
    request: z.object({
      project: z
        .string()
        .optional()
        .describe('Id of a project. Default: all. Events without a project are always sent.'),
      kinds: z
        .string()
        .refine(
          isKinds,
          `must be a list, separated by commas, of ${groups.join(', ')}, or kinds such as document.created`,
        )
        .optional()
        .describe(
          'Groups such as document, or kinds such as document.created, separated by commas. Default: all, except request.answered for successful requests, which must be named.',
        ),
      since: z.string().optional().describe('Id of an event. Sends the kept events after it.'),
      last: counted.optional().describe('Number of kept events to send first.'),
    }),
    reply: event,
    isStream: true,
  },
} satisfies OperationsOf<typeof operations.events>
