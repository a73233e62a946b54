// Written by `svc types generate` from the schemas and documents of the service.
// What is changed here is lost when it is written again.
/* eslint-disable */

/** Documents by collection, as `createClient<Schema>()` takes them. */
export interface Schema {
  tasks: Task
}

/** A document of the collection 'tasks'. */
export interface Task {
  by: string
  done: boolean
  fileId?: string
  fileName?: string
  fileUrl?: string
  title: string
}
