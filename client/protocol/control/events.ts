import { z } from 'zod'
import { type EmulatorEvent, type EventGroup, eventGroups } from '../model/events/emulator-event.js'
import { anyFields, counted, type OperationsOf } from './operation.js'
import type { operations } from './operations.js'

/** What is known of an event, by its group. */
const details = {
  document: z.strictObject({
    seq: z.int().describe('Number of the change in its project.'),
    collection: z.string().describe('Its name; its id, where the collection is gone.'),
    id: z.string(),
    version: z.int(),
    data: anyFields.nullable().describe('As it is afterwards; a deleted one, as it was last. null over 64 KB.'),
    before: anyFields.nullable().describe('What an update has changed.'),
  }),
  collection: z.strictObject({ id: z.string(), name: z.string() }),
  user: z.strictObject({
    id: z.string(),
    email: z.string().nullable(),
    what: z.array(z.string()).describe('What is different about a user who was changed.'),
  }),
  login: z.strictObject({
    user: z.string().nullable().describe('null where there is none, as with an unknown address.'),
    email: z.string().nullable(),
    why: z.string().nullable().describe('What a login failed for.'),
  }),
  file: z.strictObject({ id: z.string(), name: z.string().nullable(), size: z.int().nullable() }),
  mail: z.strictObject({
    id: z.string(),
    to: z.string(),
    subject: z.string(),
    why: z.string().nullable().describe('Why it was not sent.'),
  }),
  request: z.strictObject({
    id: z.string().describe('As in `x-request-id`.'),
    method: z.string(),
    path: z.string().describe('With its query. What is a secret in it is masked.'),
    status: z.int().nullable().describe('null for one that was never answered.'),
    code: z.string().nullable(),
    message: z.string().nullable(),
    milliseconds: z.number(),
  }),
  connection: z.strictObject({
    id: z.string(),
    transport: z.enum(['websocket', 'sse']),
    who: z.string().describe('A key or a user by id, or nobody.'),
    collection: z.string().nullable().describe('Of a subscription.'),
    why: z.string().nullable().describe('Why it was refused or closed.'),
  }),
  fault: z.strictObject({
    id: z.string(),
    kind: z.string(),
    method: z.string().nullable(),
    path: z.string().nullable().describe('What it touches; null for all.'),
  }),
  clock: z.strictObject({ now: z.string(), offset: z.int() }),
  snapshot: z.strictObject({ name: z.string() }),
  project: z.strictObject({
    name: z.string(),
    what: z.array(z.string()).describe('Settings, or what a reset empties.'),
  }),
  stream: z.strictObject({ missed: z.int().nullable().describe('How many events; null where that is not known.') }),
} satisfies Record<EventGroup, z.ZodType>

const groups = Object.keys(eventGroups) as EventGroup[]

const head = {
  id: z.string().describe('Resumes the stream after this event.'),
  at: z.string().describe('When it happened, by the clock of the machine.'),
  projectId: z.string().nullable().describe('null for what belongs to none.'),
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

/** What `kinds` takes: groups, kinds, or both. */
const names = [...groups, ...groups.flatMap((group) => eventGroups[group].map((name) => `${group}.${name}`))]
const isKinds = (text: string) => text.split(',').every((name) => names.includes(name))

/** Contract 11: everything that happens, as one stream. */
export const events = {
  stream: {
    summary: 'Stream what happens in the emulator: documents, users, logins, files, mails, refused requests and more.',
    request: z.object({
      project: z
        .string()
        .optional()
        .describe('Id of a project; left out, all. What belongs to none comes in any case.'),
      kinds: z
        .string()
        .refine(isKinds, `kinds takes, with commas: ${groups.join(', ')}, or one of them such as document.created`)
        .optional()
        .describe(
          'Groups such as document, or kinds such as document.created, with commas; left out, all. request.answered, requests that went well, comes only where it is named.',
        ),
      since: z.string().optional().describe('Id of an event; what came after it, as far as it is kept.'),
      last: counted.optional().describe('Begin with so many of the events that are kept.'),
    }),
    reply: event,
    isStream: true,
  },
} satisfies OperationsOf<typeof operations.events>
