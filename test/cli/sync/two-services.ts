/** Two emulators: `svc dev` in the folder of a world, and one in the place of the hosted service, as the profile "staging". */
import { type Client, createClient } from '../../../client/index.js'
import { type Emulator, startEmulator } from '../../../emulator/dev.js'
import { controlOf } from '../../fixtures/events.js'
import { type Dev, openWorld, type World } from '../command-line.js'

export interface TwoServices {
  readonly world: World
  readonly dev: Dev
  readonly here: Client
  readonly there: Client
  /** The address and the keys of the one in the place of the hosted service. */
  readonly url: string
  readonly publicKey: string
  readonly secretKey: string
  /** Another project at the same address, as the profile of that name. */
  addProject(profile: string): Promise<Client>
  close(): Promise<void>
}

export const staging = ['--profile', 'staging', '--yes']

/** How many documents of a collection `svc diff` finds different, where none is. */
export const nothing = {
  onlyHere: 0,
  onlyThere: 0,
  changedHere: 0,
  changedThere: 0,
  changedOnBoth: 0,
  deletedHere: 0,
  deletedThere: 0,
}

export async function openTwoServices(): Promise<TwoServices> {
  const world = await openWorld()
  const [dev, service] = await Promise.all([world.dev('--memory'), startEmulator({ memory: true })])
  const secret = (await world.svc(['project', 'key', '--secret'])).stdout.trim()
  const here = createClient({ url: dev.url, apiKey: secret })
  const apiKey = secretOf(service)
  const there = createClient({ url: service.url, apiKey })
  await world.svc(['profiles', 'add', 'staging', '--url', service.url, '--key', apiKey])
  return {
    ...{ world, dev, here, there },
    ...{ url: service.url, publicKey: service.apiKey, secretKey: apiKey },
    async addProject(profile) {
      const { secretKey } = await controlOf(service).projects.create()
      await world.svc(['profiles', 'add', profile, '--url', service.url, '--key', secretKey])
      return createClient({ url: service.url, apiKey: secretKey })
    },
    async close() {
      await Promise.all([world.close(), service.close()])
    },
  }
}

function secretOf({ secretKey }: Emulator): string {
  return secretKey ?? ''
}

export async function idOf(client: Client, name: string, title: string): Promise<string> {
  const { items } = await client.collection(name).list({ where: { title } })
  return items[0]?.id ?? ''
}
