import type { AppContext } from "../app-context.ts";
import type { FileChange } from "../file-change.ts";
import type { MountPaths } from "../free-path.ts";
import type { AppSession } from "../sessions/app-session.ts";
import type { UserModel } from "../users/user-model.ts";

/** What init knows of an app when it plans the sources. */
export interface HostOptions {
  readonly app: AppContext;
  readonly countries: readonly string[];
  readonly session: AppSession | undefined;
  readonly users: UserModel | undefined;
  readonly paths: MountPaths;
  /** Whether the login has a page. */
  readonly hasPage: boolean;
}

/** The changes of the sources. */
export interface HostPlan {
  readonly changes: readonly FileChange[];
  /** Sentences for the developer. */
  readonly notes: readonly string[];
}
