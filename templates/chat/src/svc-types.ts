// Written by `svc types generate` from the schemas and documents of the service.
// What is changed here is lost when it is written again.
/* eslint-disable */

/** Documents by collection, as `createClient<Schema>()` takes them. */
export interface Schema {
  messages: Message
  presence: Presence
}

/** A document of the collection 'messages'. */
export interface Message {
  fileName?: string
  fileUrl?: string
  key: string
  name: string
  text: string
}

/** A document of the collection 'presence'. */
export interface Presence {
  /** An integer. */
  beats: number
  name: string
  userId: string
}
