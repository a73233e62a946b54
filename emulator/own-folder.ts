/** Where the emulator's files stand. The bundle leaves this module beside them, so that it says the same there. */
export const ownFolder = new URL('./', import.meta.url)
