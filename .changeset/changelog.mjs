// How a changelog reads: what changed for a user, and nothing else. All packages share one version, so that a line for each of
// them ("Updated dependencies") says nothing; and a commit's hash helps nobody who reads what is new.

export default {
  getReleaseLine: ({ summary }) => `- ${summary.trim().replaceAll(/\n(?=.)/g, "\n  ")}`,
  getDependencyReleaseLine: () => "",
};
