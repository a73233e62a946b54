/** A project at each of two emulators: that of the folder of a world, and one in the place of the hosted service, as the profile "staging". */
import { type Client, createClient } from '../../../client/index.js'
import { newSharedProject, type SharedProject } from '../../fixtures/shared-emulator.js'
import { openWorld, type World } from '../command-line.js'

export interface TwoServices {
  readonly world: World
  readonly dev: SharedProject
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
  const [dev, service] = await Promise.all([world.useEmulator(), newSharedProject('there')])
  const { url, secretKey } = service
  await addProfile('staging', secretKey)

  async function addProfile(name: string, key: string): Promise<void> {
    await world.svc(['profiles', 'add', name, '--url', url, '--key', key])
  }

  return {
    ...{ world, dev, url, secretKey, publicKey: service.apiKey },
    here: createClient({ url: dev.url, apiKey: dev.secretKey }),
    there: createClient({ url, apiKey: secretKey }),
    async addProject(profile) {
      const { secretKey } = await newSharedProject('there')
      await addProfile(profile, secretKey)
      return createClient({ url, apiKey: secretKey })
    },
    close: world.close,
  }
}

export async function idOf(client: Client, name: string, title: string): Promise<string> {
  const { items } = await client.collection(name).list({ where: { title } })
  return items[0]?.id ?? ''
}
