"""Sightscreen's backend: live cricket on the Lock Screen, by Live Activities."""
