/** A project of an emulator for tests. Uses only HTTP, so that it works in any process. */
import { type Control, clockOfProject, controlClient } from '../../client/control.js'
import { createClient, type UntypedSchema } from '../../client/index.js'
import { openSender } from '../../client/send.js'
import type { AnySchema } from '../../client/types.js'
import { openTestClock } from './clock.js'
import { openTestFaults } from './faults.js'
import type { ControlCalls, EmulatorAddress, ProjectKeys, TestProject, TestSnapshot } from './helper.js'
import { openTestProvider } from './idp.js'
import { openTestMailbox } from './mail.js'
import { ownFetch } from './own-fetch.js'
import { openTestUsers } from './users.js'

/** Allows for waiting a minute for a mail. */
const maxMilliseconds = 70_000

export function openControl({ url, controlToken }: EmulatorAddress): Control {
  const { send, openStream } = openSender({ url, timeout: maxMilliseconds, retry: { attempts: 1 }, fetch: ownFetch })
  return controlClient(send, controlToken, openStream)
}

export function openTestProject<Schema extends AnySchema<Schema> = UntypedSchema>(
  { id, url, apiKey, secretKey }: ProjectKeys,
  { control, controlToken }: { readonly control: Control; readonly controlToken: string },
): TestProject<Schema> {
  const secretClient = createClient<Schema>({ url, apiKey: secretKey })
  return {
    ...{ id, url, apiKey, secretKey },
    control: control as object as ControlCalls,
    client: createClient<Schema>({ url, apiKey }),
    secretClient,
    env: {
      SVC_URL: url,
      SVC_WS_URL: url.replace(/^http/, 'ws'),
      SVC_API_KEY: apiKey,
      SVC_SECRET_KEY: secretKey,
      SVC_CONTROL_TOKEN: controlToken,
      SVC_PROJECT_ID: id,
    },
    users: openTestUsers(control.users, {
      openClient: () => createClient({ url, apiKey }),
      owner: createClient({ url, apiKey: secretKey }),
    }),
    mail: openTestMailbox(control.mail, id),
    idp: openTestProvider(control.idp, id, url),
    faults: openTestFaults(control.faults, id),
    clock: openTestClock(clockOfProject(control.clock, id)),
    snapshot: () => saveSnapshot(control.snapshots, id),
    async reset(chosen = {}) {
      await control.projects.reset({ project: id, ...chosen })
    },
  }
}

async function saveSnapshot(control: Control['snapshots'], project: string): Promise<TestSnapshot> {
  const { name } = await control.save({ project, name: `test-${crypto.randomUUID()}` })
  return {
    name,
    async load() {
      await control.load({ project, snapshot: name })
    },
    async remove() {
      await control.remove({ project, snapshot: name })
    },
  }
}
